import { EchelonError } from '../base/index.ts';
import type { Instance } from '../instance/index.ts';
import type { NewFiles } from './new-files.ts';
import { scalar } from './scalar.ts';

const HEAD = `# How new images reach shards: wave by wave, each after the one before ran and soaked. All fields: echelon explain rollouts
# What waits and why: echelon rollout status, echelon rollout explain. The manager's lease holder moves shards.
tracks:
`;

/** A first rollouts.yml: for every environment one shard first, then the others. Pure. */
export function newRollouts({ integrations }: Instance): NewFiles {
  const environments = new Map<string, number>();
  for (const { namespace, sharding } of integrations.flatMap(({ managed }) => managed)) {
    const { name } = namespace.environment;
    const shards = sharding?.strategy === 'static' || sharding === undefined ? (sharding?.shards ?? 1) : MANY;
    environments.set(name, (environments.get(name) ?? 0) + shards);
  }
  if (environments.size === 0) {
    throw new EchelonError({
      code: 'INTEGRATION_UNKNOWN',
      message: 'no integration is managed in this instance. Nothing was written',
      hint: 'add one with: echelon init integration NAME',
    });
  }
  const tracks = [...environments].sort().map(([name, shards]) => track(name, shards > 1));
  return new Map([['resources/echelon/rollouts.yml', HEAD + tracks.join('')]]);
}

/** One for each item of the instance. */
const MANY = 2;

function track(environment: string, hasSeveral: boolean): string {
  return [
    `- name: ${scalar(environment)}`,
    `  match: { environments: [${scalar(environment)}] }`,
    '  waves:',
    ...(hasSeveral ? ['  - { name: first, percent: 5, soak: 1h }    # at least one shard'] : []),
    '  - { name: rest, soak: 1h }',
    '  health: { queries: [] }    # PromQL that must hold meanwhile: add it under queries',
    '  onFailure: halt    # or rollback',
    '',
  ].join('\n');
}
