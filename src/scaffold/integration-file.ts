import { modeline } from './modeline.ts';
import { scalar } from './scalar.ts';

export interface IntegrationPlan {
  readonly name: string;
  readonly description?: string;
  /** The path of its namespace below `data/`. */
  readonly namespace: string;
  readonly shards?: number;
  readonly upstream?: string;
  /** With the fields that the published schemas require. */
  readonly full: boolean;
  /** The folders between the file and the root of the instance. */
  readonly depth: number;
}

/** The text of a new integration file. */
export function integrationFile(plan: IntegrationPlan): string {
  const { name, description = `${name}: say here what it reconciles`, namespace, shards = 1, upstream, full } = plan;
  return [
    ...modeline('integration', plan.depth),
    '# An integration: what it is, and where it runs. All fields: echelon explain integration',
    '$schema: /app-sre/integration-1.yml',
    ...(full ? ['labels: {}'] : []),
    `name: ${scalar(name)}`,
    `description: ${scalar(description)}`,
    ...(upstream === undefined ? [] : [`upstream: ${scalar(upstream)}`]),
    ...(full
      ? ['schemas:', '- /app-interface/app-interface-settings-1.yml', '- /app-sre/integration-1.yml']
      : ['schemas: []']),
    'managed:',
    `- namespace: { $ref: ${namespace} }`,
    '  spec:',
    '    resources:',
    '      requests: { cpu: 50m, memory: 64Mi }',
    '      limits: { memory: 128Mi }',
    ...(shards === 1
      ? []
      : [
          '  # Each shard is a pod with SHARDS and SHARD_ID in its environment, and does its part of the work.',
          '  sharding:',
          '    strategy: static',
          `    shards: ${shards}`,
        ]),
    '',
  ].join('\n');
}
