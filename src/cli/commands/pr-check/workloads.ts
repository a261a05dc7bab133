import { count } from '../../../base/index.ts';
import type { Instance } from '../../../instance/index.ts';
import {
  DEFAULT_UPSTREAM,
  type DesiredNamespace,
  type GuardBreach,
  guardBreaches,
  type NamespaceGroup,
  type PlanItem,
  type Rendered,
} from '../../../manager/index.ts';
import {
  compareWorkloads,
  managerImages,
  type RenderedSide,
  type RenderTrouble,
  type WorkloadReport,
  workloadKey,
} from '../../../promotion/index.ts';
import { type Capabilities, objectName, workloadOf } from '../../../sharding/index.ts';
import type { Io } from '../../io.ts';
import { withManager } from '../manager/open.ts';
import type { PrCheckFlags } from './flags.ts';
import type { LoadedSide, LoadedSides } from './sides.ts';

/** Renders both sides for all environments and compares them. */
export async function workloadReport(
  io: Io,
  flags: PrCheckFlags,
  sides: LoadedSides,
  capabilities: Capabilities | undefined,
): Promise<WorkloadReport> {
  const base = await rendered(io, flags, sides.base, capabilities);
  const head = await rendered(io, flags, sides.head, capabilities);
  const breaches = guardBreaches(guardItems(base, head));
  return {
    difference: compareWorkloads(base, head),
    troubles: troublesOf(base.failures, head.failures),
    guard: breaches.map(guardText),
  };
}

type RenderedInstance = Omit<RenderedSide, 'namespaces'> & Rendered;

async function rendered(
  io: Io,
  flags: PrCheckFlags,
  side: LoadedSide,
  capabilities: Capabilities | undefined,
): Promise<RenderedInstance> {
  const { environmentName: _, ...everywhere } = flags;
  const options = { readOnly: true, instance: side.instance, capabilities };
  const { groups, rendered: made } = await withManager(allEnvironments(io), everywhere, options, ({ during }) =>
    during((manager) => manager.desired((fleet) => fleet.groups.flatMap((group) => byUpstream(side.instance, group)))),
  );
  const { namespaces, failures } = made;
  return {
    namespaces: joined(namespaces),
    failures,
    owners: ownersOf(groups),
    failed: new Set(failures.map(({ target }) => target)),
    wrong: wrongIntegrations(side),
  };
}

function wrongIntegrations({ instance, problems }: LoadedSide): ReadonlySet<string> {
  const files = new Set(problems.filter(({ severity }) => severity === 'error').map(({ file }) => file));
  const wrong = instance.integrations.filter(({ file }) => files.has(`data${file}`));
  return new Set(wrong.map(({ name }) => name));
}

/** Each upstream has a manager of its own, which runs what it operates with its own image. */
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

/** The objects of a namespace in one list; what several managers would write is there once. */
function joined(namespaces: readonly DesiredNamespace[]): DesiredNamespace[] {
  return [...Map.groupBy(namespaces, (place) => `${place.cluster}/${place.namespace}`).values()].flatMap((places) => {
    const [first] = places;
    const objects = new Map(places.flatMap((place) => place.objects.map((object) => [idOf(place, object), object])));
    return first === undefined ? [] : [{ ...first, objects: [...objects.values()] }];
  });
}

/** A check is about every environment, whatever the one is that this process belongs to. */
function allEnvironments(io: Io): Io {
  const { ENVIRONMENT_NAME: _, ...env } = io.env;
  return { ...io, env };
}

function ownersOf(groups: readonly NamespaceGroup[]): RenderedSide['owners'] {
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

function troublesOf(base: Rendered['failures'], head: Rendered['failures']): RenderTrouble[] {
  const before = new Set(base.map(({ target }) => target));
  const after = new Set(head.map(({ target }) => target));
  const gone = base.filter(({ target }) => !after.has(target));
  return [
    ...head.map(({ target, error }) => ({ message: error.message, known: before.has(target) })),
    ...gone.map(({ error }) => ({ message: `at base only: ${error.message}`, known: true })),
  ];
}

/** What an apply of the change would do, as far as the guard of the manager looks at it; nothing goes for being wrong. */
function guardItems(base: RenderedInstance, head: RenderedInstance): PlanItem[] {
  const kept = new Set(head.namespaces.flatMap(idsOf));
  const stays = (place: DesiredNamespace, id: string): boolean => {
    const owner = base.owners.get(id)?.integration;
    const unseen = head.failed.has(`${place.cluster}/${place.namespace}`);
    return kept.has(id) || unseen || (owner !== undefined && head.wrong.has(owner));
  };
  return base.namespaces.flatMap((place) =>
    place.objects.map((object): PlanItem => {
      const { cluster, namespace } = place;
      const name = { cluster, namespace, kind: object.kind, name: object.metadata.name };
      return stays(place, idOf(place, object))
        ? { ...name, action: 'keep' }
        : { ...name, action: 'delete', seen: { fingerprint: '' }, reason: 'the change removes it' };
    }),
  );
}

function idsOf(place: DesiredNamespace): string[] {
  return place.objects.map((object) => idOf(place, object));
}

function idOf({ cluster, namespace }: DesiredNamespace, object: DesiredNamespace['objects'][number]): string {
  return workloadKey(cluster, namespace, object.kind, object.metadata.name);
}

function guardText({ cluster, deletions, objects, allowed }: GuardBreach): string {
  return `${cluster}: ${deletions} of ${count(objects, 'object')} would be deleted, ${allowed} are allowed; apply will need --allow-mass-deletion`;
}
