import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterError, type MemoryCluster, memoryCluster } from '../../../test/support/memory-cluster.ts';
import { holds, holdsAsync } from '../../../test/support/property.ts';
import {
  CLUSTERS,
  keyOf,
  keyOfItem,
  kind,
  NAMESPACES,
  name,
  pick,
  type World,
  world,
} from '../../../test/support/random-fleet.ts';
import type { EchelonError } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { executePlan, type ItemResult } from './execute.ts';
import { type FleetPlan, type FleetPlanOptions, planFleet } from './fleet-plan.ts';
import { type LiveCluster, observe } from './observe.ts';
import type { PlanItem } from './plan-item.ts';

const RUNS = { numRuns: 200 };

type Labels = Readonly<Record<string, string>>;

function clustersOf({ live }: World): Record<string, MemoryCluster> {
  return Object.fromEntries(
    CLUSTERS.map((cluster) => [cluster, memoryCluster({ objects: live[cluster] ?? [], uid: cluster })]),
  );
}

/** Looks at every namespace that something is declared in, and elsewhere where the data repository has a name. */
async function look(
  { desired, options: { caller, instance, scope } }: World,
  clusters: Readonly<Record<string, MemoryCluster | EchelonError>>,
): Promise<LiveCluster[]> {
  const targets = CLUSTERS.map((cluster) => ({
    cluster,
    namespaces: desired.filter((one) => one.cluster === cluster).map(({ namespace }) => namespace),
    ...(instance === undefined ? {} : { elsewhere: { caller, instance, ...scope } }),
  }));
  return observe(targets, async (cluster) => {
    const found = clusters[cluster];
    if (found === undefined || found instanceof Error) throw found;
    return found;
  });
}

async function planned(
  given: World,
  clusters: Readonly<Record<string, MemoryCluster | EchelonError>>,
): Promise<FleetPlan> {
  return planFleet(given.desired, await look(given, clusters), given.options);
}

function carryOut(plan: FleetPlan, clusters: Readonly<Record<string, MemoryCluster>>): Promise<ItemResult[]> {
  return executePlan(plan, {
    connect: async (cluster) => clusters[cluster] ?? Promise.reject(clusterError('KUBE_NO_ACCESS')),
    sleep: async () => {},
  });
}

const annotationsOf = ({ metadata }: KubeObject): Labels => (metadata['annotations'] ?? {}) as Labels;
const labelsOf = ({ metadata }: KubeObject): Labels => (metadata['labels'] ?? {}) as Labels;

/** Written by a manager of the same version, whoever it works for. */
function isManaged(object: KubeObject): boolean {
  const said = annotationsOf(object);
  return (
    said['qontract.integration'] === 'integrations-manager' &&
    said['qontract.integration_version']?.startsWith('0.') === true &&
    said['qontract.sha256sum'] !== undefined
  );
}

const isMine = (object: KubeObject): boolean =>
  ['me', undefined].includes(annotationsOf(object)['qontract.caller_name']);
const isOfAnother = (object: KubeObject, instance: string | undefined): boolean => {
  const of = labelsOf(object)['echelon/instance'];
  return object.kind !== 'Service' && instance !== undefined && of !== undefined && of !== instance;
};
const mayChange = (object: KubeObject, { instance }: FleetPlanOptions): boolean =>
  isManaged(object) && (isMine(object) || object.kind === 'Service') && !isOfAnother(object, instance);
/** Nobody's, or another data repository's: only with consent. */
const mayAdopt = (object: KubeObject, { instance }: FleetPlanOptions): boolean =>
  !isManaged(object) || isOfAnother(object, instance);

/** Workloads of other managers: the Service of their namespace stays with them. */
function hasNeighbours(given: World, cluster: string, joint: KubeObject): boolean {
  const { instance, scope, adopt } = given.options;
  const place = placeOf(given, cluster, joint.metadata.namespace);
  return (given.live[cluster] ?? []).some((object) => {
    if (object.kind === 'Service' || object.metadata.namespace !== joint.metadata.namespace) return false;
    if (annotationsOf(object)['qontract.integration'] !== 'integrations-manager') return false;
    const isWanted = place?.objects.some((one) => keyOf(one) === keyOf(object)) === true;
    if (isWanted && (mayChange(object, given.options) || (adopt === true && mayAdopt(object, given.options))))
      return false;
    const { 'echelon/environment': environment } = labelsOf(object);
    const isElsewhere =
      scope.environment !== undefined && environment !== undefined && environment !== scope.environment;
    return !isMine(object) || isOfAnother(object, instance) || isElsewhere;
  });
}

function mayDelete(object: KubeObject, cluster: string, given: World): boolean {
  const { instance, scope } = given.options;
  const isDeclared = placeOf(given, cluster, object.metadata.namespace) !== undefined;
  const { 'echelon/instance': of, 'echelon/environment': environment } = labelsOf(object);
  if (!isManaged(object)) return false;
  if (object.kind === 'Service' && hasNeighbours(given, cluster, object)) return false;
  if (!isMine(object) && (object.kind !== 'Service' || instance === undefined || of !== instance)) return false;
  if (!isDeclared) {
    return (
      instance !== undefined &&
      of === instance &&
      (scope.environment === undefined || environment === scope.environment)
    );
  }
  const marked = of !== undefined && of !== instance;
  return !marked && (scope.environment === undefined || environment === undefined || environment === scope.environment);
}

it('the worlds that are tried have everything in them that a first plan can have', async () => {
  const actions = new Set<string>();
  for (const given of fc.sample(world, { seed: 1, numRuns: 100 })) {
    for (const { action } of (await planned(given, clustersOf(given))).items) actions.add(action);
  }
  expect([...actions].toSorted()).toEqual([
    'adopt',
    'conflict',
    'create',
    'delete',
    'keep',
    'recreate',
    'update',
    'withhold',
  ]);
});

const placeOf = ({ desired }: World, cluster: string, namespace: string | undefined) =>
  desired.find((one) => one.cluster === cluster && one.namespace === namespace);

function isAllowed(item: PlanItem, given: World): boolean {
  const live = given.live[item.cluster]?.find((object) => keyOf(object) === keyOfItem(item));
  const place = placeOf(given, item.cluster, item.namespace);
  const isWanted = place?.objects.some((object) => keyOf(object) === keyOfItem(item)) === true;
  if (item.action === 'keep' || item.action === 'conflict' || item.action === 'withhold') return true;
  if (item.action === 'create') return live === undefined && isWanted;
  if (live === undefined) return false;
  if (item.action === 'adopt') return given.options.adopt === true && mayAdopt(live, given.options) && isWanted;
  if (item.action === 'delete') return !isWanted && mayDelete(live, item.cluster, given);
  return mayChange(live, given.options) && isWanted;
}

describe('S3: what Echelon does not own it neither deletes nor modifies', () => {
  it('in no plan, for any objects, owners, marks and consents', async () => {
    await holdsAsync(
      fc.asyncProperty(world, async (given) => {
        const plan = await planned(given, clustersOf(given));
        expect(plan.items.filter((item) => !isAllowed(item, given))).toEqual([]);
      }),
      RUNS,
    );
  });

  it('when a plan is carried out, down to the last letter', async () => {
    await holdsAsync(
      fc.asyncProperty(world, async (given) => {
        const clusters = clustersOf(given);
        const before = new Map(CLUSTERS.map((cluster) => [cluster, clusters[cluster]?.objects() ?? []]));
        await carryOut(await planned(given, clusters), clusters);
        for (const cluster of CLUSTERS) {
          const foreign = before
            .get(cluster)
            ?.filter(
              (object) =>
                !mayChange(object, given.options) && !(given.options.adopt && mayAdopt(object, given.options)),
            );
          expect(clusters[cluster]?.objects()).toEqual(expect.arrayContaining(foreign ?? []));
        }
      }),
      RUNS,
    );
  });

  it('and deletes everything of its own that is not declared, when nothing speaks against it', async () => {
    await holdsAsync(
      fc.asyncProperty(world, async (arbitrary) => {
        const { incomplete: _, ...free } = arbitrary.options;
        const given = { ...arbitrary, options: { ...free, partial: new Set<string>(), allowMassDeletion: true } };
        const plan = await planned(given, clustersOf(given));
        const deleted = plan.items
          .filter(({ action }) => action === 'delete')
          .map((item) => `${item.cluster} ${keyOfItem(item)}`);
        const expected = CLUSTERS.flatMap((cluster) =>
          (given.live[cluster] ?? [])
            .filter((object) => {
              const place = placeOf(given, cluster, object.metadata.namespace);
              const isWanted = place?.objects.some((one) => keyOf(one) === keyOf(object)) === true;
              return !isWanted && mayDelete(object, cluster, given);
            })
            .map((object) => `${cluster} ${keyOf(object)}`),
        );
        expect(deleted.toSorted()).toEqual(expected.toSorted());
      }),
      RUNS,
    );
  });
});

describe('S6: mass change beyond the guard never happens without consent', () => {
  /** As many of our own objects as it takes, in each of the clusters. */
  const fleet = fc.record({
    kept: fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 30 })),
    dropped: fc.tuple(fc.nat({ max: 20 }), fc.nat({ max: 20 })),
    allowMassDeletion: fc.boolean(),
  });
  const own = (name: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace: 'n1',
      labels: { 'echelon/instance': 'mine' },
      annotations: {
        'qontract.integration': 'integrations-manager',
        'qontract.integration_version': '0.1.0',
        'qontract.sha256sum': 'x',
      },
    },
    spec: {},
  });
  const many = (prefix: string, count: number): KubeObject[] =>
    Array.from({ length: count }, (_, index) => own(`${prefix}${index}`));

  it('counted for each cluster and over all of them, of what is there', async () => {
    await holdsAsync(
      fc.asyncProperty(fleet, async ({ kept, dropped, allowMassDeletion }) => {
        const given: World = {
          live: Object.fromEntries(
            CLUSTERS.map((cluster, at) => [
              cluster,
              [...many('keep', kept[at] ?? 0), ...many('drop', dropped[at] ?? 0)],
            ]),
          ),
          desired: CLUSTERS.map((cluster, at) => ({
            cluster,
            namespace: 'n1',
            file: '',
            environment: 'prod',
            objects: [...many('keep', kept[at] ?? 0), ...many('new', 50)].map((object) => ({
              ...object,
              metadata: { name: object.metadata.name, namespace: 'n1' },
            })),
          })),
          options: { revision: 'r', caller: 'me', scope: {}, instance: 'mine', allowMassDeletion },
        };
        const clusters = clustersOf(given);
        const plan = await planned(given, clusters);
        await carryOut(plan, clusters);
        const isFew = (stay: number, go: number): boolean => go <= Math.max(3, Math.floor((stay + go) * 0.3));
        const sum = (counts: readonly number[]): number => counts.slice(0, CLUSTERS.length).reduce((a, b) => a + b, 0);
        const fewOverAll = isFew(sum(kept), sum(dropped));
        expect(plan.breaches.some(({ scope }) => scope === 'plan')).toBe(!allowMassDeletion && !fewOverAll);
        for (const [at, cluster] of CLUSTERS.entries()) {
          const [stay = 0, go = 0] = [kept[at], dropped[at]];
          const allowed = allowMassDeletion || (fewOverAll && isFew(stay, go));
          const removed = clusters[cluster]?.calls.filter(({ verb }) => verb === 'remove').length;
          expect({ cluster, removed }).toEqual({ cluster, removed: allowed ? go : 0 });
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('P1: calls made = plan printed', () => {
  /** The writes that an item stands for, in their order. */
  function writesOf(item: PlanItem): string[] {
    const on = `${item.cluster} ${keyOfItem(item)}`;
    switch (item.action) {
      case 'create':
        return [`apply ${on}`];
      case 'update':
      case 'adopt':
        return [...(item.takeOver === undefined ? [] : [`patch ${on}`]), `apply ${on}`];
      case 'recreate':
        return [`remove ${on}`, `apply ${on}`];
      case 'delete':
        return [`remove ${on}`];
      default:
        return [];
    }
  }

  it('no write more, none less, none to another object, and only objects of the plan are looked at again', async () => {
    await holdsAsync(
      fc.asyncProperty(world, async (given) => {
        const clusters = clustersOf(given);
        const plan = await planned(given, clusters);
        const looks = new Map(CLUSTERS.map((cluster) => [cluster, clusters[cluster]?.calls.length ?? 0]));
        const results = await carryOut(plan, clusters);
        expect(results.filter(({ outcome }) => outcome !== 'done').map(({ error }) => error?.message)).toEqual([]);
        const written = CLUSTERS.flatMap((cluster) =>
          (clusters[cluster]?.writes ?? []).map(
            ({ verb, kind, namespace, name }) => `${verb} ${cluster} ${kind}/${namespace}/${name}`,
          ),
        );
        expect(written.toSorted()).toEqual(plan.items.flatMap(writesOf).toSorted());
        for (const item of plan.items) {
          const own = written.filter((text) => text.endsWith(` ${item.cluster} ${keyOfItem(item)}`));
          expect(own).toEqual(writesOf(item));
        }
        const changed = new Set(
          plan.items.flatMap((item) => (writesOf(item).length > 1 ? [`${item.cluster} ${keyOfItem(item)}`] : [])),
        );
        for (const cluster of CLUSTERS) {
          const again = clusters[cluster]?.calls.slice(looks.get(cluster)).filter(({ verb }) => verb === 'list') ?? [];
          for (const { kind, where } of again)
            expect(changed).toContain(`${cluster} ${kind}/${where?.namespace}/${where?.name}`);
        }
      }),
      RUNS,
    );
  });

  it('after a plan was carried out nothing of it is left to do', async () => {
    await holdsAsync(
      fc.asyncProperty(world, async (given) => {
        const clusters = clustersOf(given);
        const first = await planned(given, clusters);
        await carryOut(first, clusters);
        const left = (await planned(given, clusters)).items.filter(({ action }) => action !== 'keep');
        const untouched = first.items.filter(({ action }) => action === 'conflict' || action === 'withhold');
        const names = (items: readonly PlanItem[]): string[] =>
          items.map((item) => `${item.action} ${item.cluster} ${keyOfItem(item)}`);
        // What was held back by the guard may fit once the rest is done; nothing else may appear.
        expect(names(untouched.filter(({ action }) => action === 'conflict'))).toEqual(
          names(left.filter(({ action }) => action === 'conflict')),
        );
        const held = new Set(untouched.map((item) => `${item.cluster} ${keyOfItem(item)}`));
        for (const item of left) expect(held).toContain(`${item.cluster} ${keyOfItem(item)}`);
      }),
      RUNS,
    );
  });
});

describe('isolation: what fails never changes what is decided for the others', () => {
  const inPlace = (plan: FleetPlan, is: (item: PlanItem) => boolean): PlanItem[] => plan.items.filter(is);
  const code = pick('KUBE_UNREACHABLE', 'KUBE_TLS', 'KUBE_LOGIN', 'KUBE_ANSWER', 'KUBE_FORBIDDEN', 'KUBE_NO_ACCESS');

  it('a cluster that cannot be reached', async () => {
    await holdsAsync(
      fc.asyncProperty(world, code, pick(...CLUSTERS), async (arbitrary, why, lost) => {
        // The guard counts over all clusters.
        const given = { ...arbitrary, options: { ...arbitrary.options, allowMassDeletion: true } };
        const whole = await planned(given, clustersOf(given));
        const error = clusterError(why);
        const part = await planned(given, { ...clustersOf(given), [lost]: error });
        expect(inPlace(part, ({ cluster }) => cluster === lost)).toEqual([]);
        expect(part.items).toEqual(inPlace(whole, ({ cluster }) => cluster !== lost));
        expect(part.failures).toEqual([{ cluster: lost, error }]);
      }),
      RUNS,
    );
  });

  it('a namespace that may not be looked at', async () => {
    await holdsAsync(
      fc.asyncProperty(world, pick(...NAMESPACES), async (arbitrary, lost) => {
        const given = { ...arbitrary, options: { ...arbitrary.options, allowMassDeletion: true } };
        const whole = await planned(given, clustersOf(given));
        const clusters = clustersOf(given);
        clusters['c1']?.fail({ when: ({ where }) => where?.namespace === lost, error: clusterError('KUBE_FORBIDDEN') });
        const part = await planned(given, clusters);
        const isDeclared = given.desired.some(({ cluster, namespace }) => cluster === 'c1' && namespace === lost);
        // Whether other managers need the Service of a namespace where nothing is declared is then unknown.
        const isLost = ({ cluster, namespace, kind }: PlanItem): boolean =>
          (isDeclared || kind === 'Service') && cluster === 'c1' && namespace === lost;
        expect(part.items).toEqual(inPlace(whole, (item) => !isLost(item)));
        const isService = ({ kind, metadata }: KubeObject): boolean =>
          kind === 'Service' && metadata.namespace === lost;
        const mayFail = isDeclared || given.live['c1']?.some(isService) === true;
        expect(part.failures.length).toBeLessThanOrEqual(mayFail ? 1 : 0);
      }),
      RUNS,
    );
  });

  it('a write that fails: other objects end as they would have, and nothing is deleted beside it', async () => {
    await holdsAsync(
      fc.asyncProperty(
        world,
        kind,
        name,
        pick('KUBE_INVALID', 'KUBE_FORBIDDEN', 'KUBE_CONFLICT'),
        async (given, badKind, badName, why) => {
          const [good, bad] = [clustersOf(given), clustersOf(given)];
          await carryOut(await planned(given, good), good);
          const isBad = (one: { verb?: string; kind: string; name?: string }): boolean =>
            one.kind === badKind && one.name === badName;
          bad['c1']?.fail({ when: (call) => call.verb === 'apply' && isBad(call), error: clusterError(why) });
          const results = await carryOut(await planned(given, bad), bad);
          const failed = results.filter(({ outcome }) => outcome === 'failed').map(({ item }) => item);
          expect(failed.every((item) => item.cluster === 'c1' && isBad(item))).toBe(true);
          const place = ({ cluster, namespace }: PlanItem): string => `${cluster}/${namespace}`;
          const troubled = new Set(failed.map(place));
          const ends = results.filter(({ item }) => !failed.includes(item)).map(({ outcome }) => outcome);
          expect(ends).toEqual(
            results
              .filter(({ item }) => !failed.includes(item))
              .map(({ item }) => (item.action === 'delete' && troubled.has(place(item)) ? 'skipped' : 'done')),
          );
          expect(said(bad['c2'])).toEqual(said(good['c2']));
          const elsewhere = (object: KubeObject): boolean => !troubled.has(`c1/${object.metadata.namespace}`);
          expect(said(bad['c1'], elsewhere)).toEqual(said(good['c1'], elsewhere));
        },
      ),
      RUNS,
    );
  });

  /** What objects say, without what only a server counts. */
  function said(cluster: MemoryCluster | undefined, is: (object: KubeObject) => boolean = () => true): unknown[] {
    return (cluster?.objects() ?? []).filter(is).map(({ metadata, ...rest }) => {
      const { uid: _, resourceVersion: __, ...kept } = metadata;
      return { ...rest, metadata: kept };
    });
  }
});

describe('X2: the same world gives the same plan', () => {
  it('whatever the order in which it is told', () => {
    holds(
      fc.property(world, (given) => {
        const found = (reverse: boolean): LiveCluster[] => {
          const turn = <T>(list: readonly T[]): readonly T[] => (reverse ? list.toReversed() : list);
          return turn(CLUSTERS).map((cluster) => ({
            cluster,
            namespaces: turn(NAMESPACES).map((namespace) => ({
              cluster,
              namespace,
              objects: turn(given.live[cluster] ?? []).filter(({ metadata }) => metadata.namespace === namespace),
            })),
            elsewhere: [],
            failures: [],
          }));
        };
        const desired = given.desired
          .toReversed()
          .map((namespace) => ({ ...namespace, objects: namespace.objects.toReversed() }));
        const plan = planFleet(given.desired, found(false), given.options);
        const turned = planFleet(desired, found(true), given.options);
        expect(turned.items).toEqual(plan.items);
        expect(turned.breaches).toEqual(plan.breaches);
      }),
      RUNS,
    );
  });
});
