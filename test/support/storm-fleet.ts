import type { Random } from '../../src/runtime/index.ts';
import type { Fleet } from './manager-e2e.ts';

/** What the instance declares: a tag for all images, and shards by integration. */
export interface Declared {
  readonly tag: string;
  readonly shards: Readonly<Record<string, number>>;
}

const INTEGRATIONS = ['alpha', 'beta', 'gamma', 'delta'];
const FEWEST_SHARDS = 2;
const MORE_SHARDS = 4;

/** Every tag is new, so that every object changes with every declaration. The first integration is always there. */
export function drawDeclared(random: Random, number: number): Declared {
  const chosen = INTEGRATIONS.filter((_, index) => index === 0 || random() < 0.6);
  const draw = (): number => FEWEST_SHARDS + Math.floor(random() * MORE_SHARDS);
  return { tag: `v${number}`, shards: Object.fromEntries(chosen.map((name) => [name, draw()])) };
}

/** Those that are not declared keep their files, without anything managed. */
export function declare(fleet: Fleet, { tag, shards }: Declared): void {
  for (const name of INTEGRATIONS) {
    const count = shards[name] ?? 0;
    const shardSpecOverrides = Array.from({ length: count }, (_, shard) => ({ shard, imageRef: tag }));
    if (count > 0) fleet.integration(name, { sharding: { strategy: 'static', shards: count, shardSpecOverrides } });
    else fleet.unmanaged(name);
  }
}

/** `name image-tag` of every deployment that there must be, and no other. */
export function expectedDeployments({ tag, shards }: Declared): string[] {
  return Object.entries(shards)
    .flatMap(([name, count]) =>
      Array.from({ length: count }, (_, shard) => `qontract-reconcile-${name}-${shard} ${tag}`),
    )
    .sort();
}

/** The same, of what there is, without objects of somebody else. */
export async function liveDeployments(fleet: Fleet, foreign: ReadonlySet<string>): Promise<string[]> {
  const objects = await fleet.objects();
  return objects
    .filter(({ kind, metadata }) => kind === 'Deployment' && !foreign.has(`deployments/${metadata?.name}`))
    .map(({ metadata, spec }) => `${metadata?.name} ${/reconcile:([\w-]+)/.exec(JSON.stringify(spec))?.[1]}`)
    .sort();
}
