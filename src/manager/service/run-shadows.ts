import { EchelonError, sha256Of } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { RolloutsDecision, WantedShadow } from '../../rollouts/index.ts';
import { refuseWriters } from '../../shadow/index.ts';
import { type KubeObject, objectKey } from '../desired/desired-namespace.ts';
import { isConnectionError } from '../plan/observe.ts';
import { placeOf } from '../plan/places.ts';
import type { PlacedShard } from '../rollout/scope-facts.ts';
import type { ShadowCluster } from '../shadow/shadow-cluster.ts';
import { inconclusive } from '../shadow/shadow-found.ts';
import { type JobRun, shadowJob } from '../shadow/shadow-jobs.ts';
import type { ObservedShadows } from './observed-shadows.ts';
import type { RolloutInput } from './rollout-observation.ts';
import { shardKey } from './rollout-queries.ts';
import type { ShadowAccess } from './shadow-access.ts';

/** How long a dry run may take. */
const DEADLINE_SECONDS = 1_800;

export interface ShadowPass {
  readonly decision: Pick<RolloutsDecision, 'tracks'>;
  readonly observed: ObservedShadows;
  readonly input: RolloutInput;
  readonly now: Instant;
  /** Asked before every request. */
  readonly mayWrite: () => boolean;
}

/**
 * Removes the Jobs that were read or that nobody waits for any more, and starts the comparisons that the decision wants. What
 * fails is tried by the next pass; a comparison that cannot be started is one without a result, with its reason.
 */
export async function runShadows(access: ShadowAccess, pass: ShadowPass): Promise<void> {
  const wanted = wantedIn(pass);
  await removeOthers(access, wanted, pass);
  const running = new Set(
    pass.observed.jobs.flatMap((placed) => placed.running.map((runs) => keyOf(placed.place, runs))),
  );
  for (const one of wanted) {
    if (!pass.mayWrite() || running.has(keyOf(placeOf(one.placed.facts), one.shadow))) continue;
    const refused = await attempt(pass.input, () => started(access, one, pass));
    if (refused === undefined || isConnectionError(refused) || refused.code === 'LEASE_LOST') continue;
    const { image, baseline } = one.shadow;
    const found = inconclusive(refused.message, { image, baseline, at: pass.now });
    access.memory.refused.set(shardKey(one.environment, one.shadow), found);
  }
}

async function removeOthers(
  access: ShadowAccess,
  wanted: readonly Wanted[],
  { observed, input, mayWrite }: ShadowPass,
): Promise<void> {
  const keys = new Set(wanted.map(({ shadow, placed }) => keyOf(placeOf(placed.facts), shadow)));
  for (const { cluster, place, over, running } of observed.jobs) {
    const unwanted = running.filter((runs) => !keys.has(keyOf(place, runs)));
    for (const job of [...over, ...unwanted.flatMap(({ jobs }) => jobs)])
      if (mayWrite()) await attempt(input, async () => removed(await access.connect(cluster), job));
  }
}

interface Wanted {
  readonly environment: string;
  readonly shadow: WantedShadow;
  readonly placed: PlacedShard;
}

function wantedIn({ decision, observed }: ShadowPass): Wanted[] {
  return decision.tracks.flatMap(({ environment, upstream, shadows }) => {
    const scope = observed.scopes.find(({ facts }) => facts.environment === environment && facts.upstream === upstream);
    return shadows.flatMap((shadow) => {
      const placed = scope?.shards.get(shadow.id);
      return placed === undefined ? [] : [{ environment, shadow, placed }];
    });
  });
}

function keyOf(place: string, { id, image, baseline }: WantedShadow): string {
  return JSON.stringify([place, id, image, baseline]);
}

/** The error that stopped it, if any. */
async function attempt({ signal }: RolloutInput, act: () => Promise<void>): Promise<EchelonError | undefined> {
  try {
    await act();
    return undefined;
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof EchelonError) return thrown;
    throw thrown;
  }
}

/** Both sides: the baseline as the shard runs now, the candidate as it would run. */
function jobsOf(
  { owner, capabilities }: ShadowAccess,
  { environment, shadow, placed }: Wanted,
  { input, now }: ShadowPass,
): KubeObject[] {
  const { facts, kind, name, workload } = placed;
  const { id, image, baseline } = shadow;
  const { integration, shard, namespace } = facts;
  refuseWriters(
    input.fleet.instance.integrations.find((one) => one.name === integration) ?? { name: integration },
    capabilities,
  );
  const place = placeOf(facts);
  const desired = input.fleet.rendered.namespaces.find((one) => placeOf(one) === place)?.objects ?? [];
  const live = input.live.flatMap(({ namespaces }) => namespaces).find((one) => placeOf(one) === place)?.objects ?? [];
  const runs = workload?.object;
  const declared = desired.find((object) => objectKey(object) === objectKey({ kind, metadata: { name } })) ?? runs;
  if (runs === undefined || declared === undefined) return [];
  const run: JobRun = {
    ...{ owner, integration, shard, id, namespace, at: now, deadlineSeconds: DEADLINE_SECONDS },
    run: sha256Of(JSON.stringify([environment, id, image, baseline, now])).slice(0, 12),
  };
  const objects = [...live, ...desired];
  return [
    shadowJob('baseline', { workload: runs, image: baseline }, run, objects),
    shadowJob('candidate', { workload: declared, image }, run, objects),
  ];
}

/** One side without the other is removed by the next pass. */
async function started(access: ShadowAccess, wanted: Wanted, pass: ShadowPass): Promise<void> {
  const jobs = jobsOf(access, wanted, pass);
  const api = await access.connect(wanted.placed.facts.cluster);
  await Promise.all(jobs.map((job) => api.create(job)));
}

async function removed(api: ShadowCluster, { metadata: { namespace = '', name, uid } }: KubeObject): Promise<void> {
  await api.remove({ kind: 'Job', namespace, name }, { uid: String(uid) });
}
