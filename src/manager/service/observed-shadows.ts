import { EchelonError, inTurns, mapLimited } from '../../base/index.ts';
import type { ShadowRecord, ShardFacts } from '../../rollouts/index.ts';
import { compareSteps, readingRules, type ShadowOutput, shadowFileOf } from '../../shadow/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { isConnectionError } from '../plan/observe.ts';
import { placeOf } from '../plan/places.ts';
import type { PodDetails } from '../rollout/pod-details.ts';
import type { Scope } from '../rollout/scope-facts.ts';
import { printed } from '../shadow/job-runner.ts';
import { inconclusive, shadowFound } from '../shadow/shadow-found.ts';
import { shadowSelector } from '../shadow/shadow-labels.ts';
import { type ShardRuns, shardRuns } from '../shadow/shard-runs.ts';
import type { RolloutInput } from './rollout-observation.ts';
import type { ShadowAccess } from './shadow-access.ts';
import { type ComparedShard, idIn, withShadows } from './with-shadows.ts';

/** The Jobs of this manager's comparisons in a namespace. */
export interface PlacedJobs {
  readonly cluster: string;
  /** `cluster/namespace`. */
  readonly place: string;
  readonly running: readonly ShardRuns[];
  /** Read by this pass, or nobody waits for them. */
  readonly over: readonly KubeObject[];
}

/** What a pass knows of its comparisons before it decides. */
export interface ObservedShadows {
  readonly scopes: readonly Scope[];
  readonly compared: readonly ComparedShard[];
  readonly jobs: readonly PlacedJobs[];
}

const READ_AT_ONCE = 4;

/** Reads the comparisons that have ended, and notes those that run. Nothing is removed before what was read is stored. */
export async function observedShadows(
  access: ShadowAccess,
  scopes: readonly Scope[],
  details: ReadonlyMap<string, PodDetails>,
  input: RolloutInput,
): Promise<ObservedShadows> {
  const places = placesIn(scopes);
  const read = new Map<string, ShadowRecord>();
  const running = new Map<string, ShardRuns>();
  const jobs: PlacedJobs[] = await leftJobsIn(access, places, details, input.signal);
  for (const [place, found] of details) {
    const cluster = places.get(place)?.cluster ?? '';
    const { whole, half } = shardRuns(found, access.owner);
    const still = whole.filter(({ ends }) => ends === undefined);
    const ended = whole.filter(({ ends }) => ends !== undefined);
    const shadows = await mapLimited(ended, READ_AT_ONCE, (runs) => foundBy(access, cluster, runs, input));
    const known = ended.filter((_, at) => shadows[at] !== undefined);
    for (const [at, { id }] of ended.entries()) if (shadows[at] !== undefined) read.set(idIn(place, id), shadows[at]);
    for (const runs of still) running.set(idIn(place, runs.id), runs);
    jobs.push({ cluster, place, running: still, over: [...half, ...known.flatMap((runs) => runs.jobs)] });
  }
  const { refused } = access.memory;
  const told = withShadows(scopes, { read, running, refused });
  refused.clear();
  return { ...told, jobs };
}

function placesIn(scopes: readonly Scope[]): Map<string, Pick<ShardFacts, 'cluster' | 'namespace'>> {
  const shards = scopes.flatMap(({ facts }) => facts.shards.filter(({ seen }) => seen));
  return new Map(shards.map(({ cluster, namespace }) => [placeOf({ cluster, namespace }), { cluster, namespace }]));
}

/** Jobs that an earlier process left where no rollout is under way any more; looked for once in each namespace. */
async function leftJobsIn(
  { connect, owner, memory }: ShadowAccess,
  places: ReturnType<typeof placesIn>,
  details: ReadonlyMap<string, PodDetails>,
  signal: AbortSignal,
): Promise<PlacedJobs[]> {
  const unknown = [...places].filter(([place]) => !details.has(place) && !memory.swept.has(place));
  for (const [place] of places) memory.swept.add(place);
  return mapLimited(unknown, READ_AT_ONCE, async ([place, { cluster, namespace }]) => {
    try {
      const api = await connect(cluster);
      const over = await api.list('Job', { namespace, labelSelector: shadowSelector(owner), signal });
      return { cluster, place, running: [], over };
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof EchelonError)) throw thrown;
      memory.swept.delete(place);
      return { cluster, place, running: [], over: [] };
    }
  });
}

/** What an ended comparison found; undefined where its logs cannot be read now, so that the next pass tries again. */
async function foundBy(
  { connect }: ShadowAccess,
  cluster: string,
  { ends, integration, image, baseline, at }: ShardRuns,
  { fleet, signal }: RolloutInput,
): Promise<ShadowRecord | undefined> {
  if (ends === undefined) return undefined;
  const of = { image, baseline, at };
  try {
    const api = await connect(cluster);
    const outputOf = async ({ job, end }: typeof ends.baseline): Promise<ShadowOutput> => {
      const { log: _, ...how } = end;
      return { ...how, ...(await printed(api, job, end, { signal, once: true })) };
    };
    const [before, after] = await Promise.all([outputOf(ends.baseline), outputOf(ends.candidate)]);
    const outputs = { baseline: before, candidate: after };
    const rules = readingRules(shadowFileOf(fleet.instance), integration);
    return shadowFound(await inTurns(compareSteps(outputs, rules)), of);
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof EchelonError)) throw thrown;
    // A node that does not answer would keep every pass waiting.
    const isPassing = isConnectionError(thrown) && thrown.code !== 'KUBE_TIMEOUT';
    return isPassing ? undefined : inconclusive(thrown.message, of);
  }
}
