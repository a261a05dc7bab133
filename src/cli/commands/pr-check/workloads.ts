import { DEFAULT_UPSTREAM, type Instance } from '../../../instance/index.ts';
import {
  breachText,
  type CountedObject,
  type DesiredNamespace,
  guardBreaches,
  identityOf,
  type NamespaceGroup,
} from '../../../manager/index.ts';
import { type GuardedObject, managerImages, type RenderedWorkloads, workloadKey } from '../../../promotion/index.ts';
import { type Capabilities, objectName, workloadOf } from '../../../sharding/index.ts';
import type { Io } from '../../io.ts';
import { withManager } from '../manager/open.ts';
import type { PrCheckFlags } from './flags.ts';

/** What the managers of all environments would apply. */
export async function renderWorkloads(
  io: Io,
  flags: PrCheckFlags,
  side: { readonly instance: Instance },
  capabilities: Capabilities | undefined,
): Promise<RenderedWorkloads> {
  // A check covers every environment, regardless of this process's own and the default of manager.yml.
  const everywhere = { ...flags, environmentName: '' };
  const options = { readOnly: true, instance: side.instance, capabilities };
  const { groups, rendered: made } = await withManager(io, everywhere, options, ({ during }) =>
    during((manager) => manager.desired((fleet) => fleet.groups.flatMap((group) => byUpstream(side.instance, group)))),
  );
  const { namespaces, failures } = made;
  return {
    namespaces: joined(namespaces),
    failures,
    owners: new Map([...ownersByName(groups), ...ownersByIdentity(namespaces)]),
  };
}

/** Each upstream has its own manager, which operates its workloads with its own image. */
function byUpstream(instance: Instance, { namespace, entries }: NamespaceGroup): NamespaceGroup[] {
  const { environment } = namespace;
  return [...Map.groupBy(entries, ({ integration }) => integration.upstream ?? DEFAULT_UPSTREAM)].map(
    ([upstream, own]) => {
      const image = managerImages(instance, upstream).get(environment.name);
      const parameters = { ...environment.parameters, ...image };
      return { namespace: { ...namespace, environment: { ...environment, parameters } }, entries: own };
    },
  );
}

/** The objects of a namespace in one list, without duplicates from several managers. */
function joined(namespaces: readonly DesiredNamespace[]): DesiredNamespace[] {
  return [...Map.groupBy(namespaces, (place) => `${place.cluster}/${place.namespace}`).values()].flatMap((places) => {
    const [first] = places;
    const objects = new Map(places.flatMap((place) => place.objects.map((object) => [idOf(place, object), object])));
    return first === undefined ? [] : [{ ...first, objects: [...objects.values()] }];
  });
}

function ownersByName(groups: readonly NamespaceGroup[]): RenderedWorkloads['owners'] {
  return new Map(
    groups.flatMap(({ namespace, entries }) =>
      entries.flatMap(({ integration, entry, shards }) =>
        shards.map((shard) => [
          workloadKey(namespace.cluster.name, namespace.name, workloadOf(entry), objectName(integration, shard)),
          { integration: integration.name, shard: shard.name },
        ]),
      ),
    ),
  );
}

/** Identity annotations take precedence over names, which depend on the chart. */
function ownersByIdentity(namespaces: readonly DesiredNamespace[]): RenderedWorkloads['owners'] {
  return new Map(
    namespaces.flatMap((place) =>
      place.objects.flatMap((object) => {
        const identity = identityOf(object);
        return identity === undefined ? [] : [[idOf(place, object), identity] as const];
      }),
    ),
  );
}

/** What the manager's guard would refuse. */
export function guard(objects: readonly GuardedObject[]): string[] {
  const counted = objects.map(({ cluster, environment, goes }): CountedObject => {
    return { cluster, environment, ...(goes ? { goes: 'now' } : {}) };
  });
  return guardBreaches(counted).map(breachText);
}

function idOf({ cluster, namespace }: DesiredNamespace, object: DesiredNamespace['objects'][number]): string {
  return workloadKey(cluster, namespace, object.kind, object.metadata.name);
}
