import * as fc from 'fast-check';
import { defined } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/manager/desired/desired-namespace.ts';
import type { DesiredNamespace, PlanItem } from '../../src/manager/index.ts';
import type { FleetPlanOptions } from '../../src/manager/plan/fleet-plan.ts';
import { KINDS } from '../../src/manager/plan/plan-item.ts';

export const CLUSTERS = ['c1', 'c2'] as const;
export const NAMESPACES = ['n1', 'n2', 'n3'] as const;

export const pick = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
export const name = pick('a', 'b', 'c', 'd', 'e', 'f');
export const kind = pick(...KINDS);

const labels = fc.record({
  'echelon/instance': pick('mine', 'mine', 'theirs', undefined),
  'echelon/environment': pick('prod', 'prod', 'stage', undefined),
});
const annotations = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      'qontract.integration': fc.constant('integrations-manager'),
      'qontract.integration_version': fc.constant('0.1.0'),
      'qontract.sha256sum': fc.constant('x'),
      'qontract.caller_name': pick('me', 'me', 'me', undefined, 'somebody'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      'qontract.integration': pick('integrations-manager', 'openshift-resources', undefined),
      'qontract.integration_version': pick('0.9.0', '1.0.0', undefined),
      'qontract.sha256sum': pick('x', undefined),
    }),
  },
);
const managers = fc.subarray(
  ['oc', 'kubectl-edit', 'kube-controller-manager', 'echelon'].map((manager) => ({
    manager,
    operation: manager === 'echelon' ? 'Apply' : 'Update',
    apiVersion: 'v1',
    fieldsV1: { 'f:spec': { 'f:replicas': {} } },
  })),
);
const spec = fc.record({
  replicas: fc.nat({ max: 2 }),
  volumeClaimTemplates: pick(undefined, [{ size: 1 }], [{ size: 2 }]),
});

const liveObject = (namespace: string): fc.Arbitrary<KubeObject> =>
  fc
    .record({ kind, name, labels, annotations, managers, spec })
    .map(({ kind, name, labels, annotations, managers, spec }) =>
      JSON.parse(
        JSON.stringify({
          apiVersion: 'v1',
          kind,
          metadata: { name, namespace, labels, annotations, managedFields: managers },
          spec,
        }),
      ),
    );
const desiredObject = (namespace: string): fc.Arbitrary<KubeObject> =>
  fc
    .record({ kind, name, spec })
    .map(({ kind, name, spec }) =>
      JSON.parse(JSON.stringify({ apiVersion: 'v1', kind, metadata: { name, namespace }, spec })),
    );

/** Every kind and name at most once. */
const unique = (object: fc.Arbitrary<KubeObject>, maxLength: number): fc.Arbitrary<KubeObject[]> =>
  fc.uniqueArray(object, { maxLength, selector: keyOf });

/** What is there, what should be there, and what was consented to. */
export interface World {
  /** What is there, by cluster. */
  readonly live: Readonly<Record<string, readonly KubeObject[]>>;
  readonly desired: readonly DesiredNamespace[];
  readonly options: FleetPlanOptions;
}

const desiredIn = (cluster: string, namespace: string): fc.Arbitrary<DesiredNamespace | undefined> =>
  fc.option(
    unique(desiredObject(namespace), 5).map((objects) => ({
      cluster,
      namespace,
      file: '',
      environment: 'prod',
      objects,
    })),
    { nil: undefined },
  );

const options: fc.Arbitrary<FleetPlanOptions> = fc
  .record({
    instance: pick('mine', 'mine', undefined),
    environment: pick('prod', undefined),
    incomplete: pick(undefined, undefined, 'the instance has 1 error'),
    partial: fc.subarray(
      CLUSTERS.flatMap((cluster) => NAMESPACES.map((namespace) => `${cluster}/${namespace}`)),
      {
        maxLength: 2,
      },
    ),
    adopt: fc.boolean(),
    recreate: fc.boolean(),
    forceConflicts: fc.boolean(),
    allowMassDeletion: fc.boolean(),
  })
  .map(({ instance, environment, incomplete, partial, ...flags }) => ({
    ...flags,
    revision: 'r',
    caller: 'me',
    scope: environment === undefined ? {} : { environment },
    partial: new Set(partial),
    ...defined({ instance, incomplete }),
  }));

/** Every place has shards of its own: nothing moves from one to another. */
function identified(object: KubeObject, cluster: string): KubeObject {
  const { kind, metadata } = object;
  const identity = {
    'echelon/integration': `${kind}/${metadata.name}`,
    'echelon/shard': `${cluster}/${metadata.namespace}`,
    'echelon/environment': 'prod',
  };
  return { ...object, metadata: { ...metadata, annotations: { ...(metadata['annotations'] as object), ...identity } } };
}

const bareWorld: fc.Arbitrary<World> = fc.record({
  live: fc.record(
    Object.fromEntries(
      CLUSTERS.map((cluster) => [
        cluster,
        fc.tuple(...NAMESPACES.map((namespace) => unique(liveObject(namespace), 8))).map((lists) => lists.flat()),
      ]),
    ),
  ),
  desired: fc
    .tuple(...CLUSTERS.flatMap((cluster) => NAMESPACES.map((namespace) => desiredIn(cluster, namespace))))
    .map((all) => all.filter((one) => one !== undefined)),
  options,
});

export const world: fc.Arbitrary<World> = bareWorld.map(({ live, desired, options: given }) => ({
  live: Object.fromEntries(
    Object.entries(live).map(([cluster, objects]) => [cluster, objects.map((object) => identified(object, cluster))]),
  ),
  desired: desired.map((place) => ({
    ...place,
    objects: place.objects.map((object) => identified(object, place.cluster)),
  })),
  options: given,
}));

export function keyOf({ kind, metadata }: KubeObject): string {
  return `${kind}/${metadata.namespace}/${metadata.name}`;
}

export function keyOfItem({ kind, namespace, name }: PlanItem): string {
  return `${kind}/${namespace}/${name}`;
}
