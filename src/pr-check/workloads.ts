import { byText, count, defined, imageVersion, isJson, parseImage, shortDigests } from '../base/index.ts';
import type { Instance, Problem } from '../instance/index.ts';

/** A render error, new or already at base. */
interface RenderTrouble {
  readonly message: string;
  /** Also at base. */
  readonly known: boolean;
}

export interface WorkloadReport {
  readonly difference: WorkloadDifference;
  readonly troubles: readonly RenderTrouble[];
  /** Guard limits that an apply would exceed, one sentence each. */
  readonly guard: readonly string[];
}

/** What an instance's managers would apply. */
export interface RenderedWorkloads {
  readonly namespaces: readonly RenderedNamespace[];
  readonly owners: RenderedSide['owners'];
  /** By `cluster/namespace`. */
  readonly failures: readonly { readonly target: string; readonly error: { readonly message: string } }[];
}

/** An object at base, and whether applying the head would delete or stop it. */
export interface GuardedObject {
  readonly cluster: string;
  readonly environment: string;
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  readonly goes: boolean;
}

/** Which limits of the manager the change exceeds, as text. */
export type Guard = (objects: readonly GuardedObject[]) => readonly string[];

interface CheckedSide {
  readonly instance: Instance;
  readonly problems: readonly Problem[];
}

interface SideWorkloads extends RenderedSide {
  readonly failures: RenderedWorkloads['failures'];
}

/** A side for comparison: namespaces that failed to render and integrations with errors do not count as removed. */
export function sideWorkloads(side: CheckedSide, rendered: RenderedWorkloads): SideWorkloads {
  const failed = new Set(rendered.failures.map(({ target }) => target));
  return { ...rendered, failed, wrong: wrongIntegrations(side) };
}

export function workloadReport(base: SideWorkloads, head: SideWorkloads, guard: Guard): WorkloadReport {
  return {
    difference: compareWorkloads(base, head),
    troubles: troublesOf(base.failures, head.failures),
    guard: guard(guardedObjects(base, head)).map((text) => `${text}; apply will need --allow-mass-deletion`),
  };
}

function wrongIntegrations({ instance, problems }: CheckedSide): ReadonlySet<string> {
  const files = new Set(problems.filter(({ severity }) => severity === 'error').map(({ file }) => file));
  const wrong = instance.integrations.filter(({ file }) => files.has(`data${file}`));
  return new Set(wrong.map(({ name }) => name));
}

function troublesOf(base: SideWorkloads['failures'], head: SideWorkloads['failures']): RenderTrouble[] {
  const before = new Set(base.map(({ target }) => target));
  const after = new Set(head.map(({ target }) => target));
  const gone = base.filter(({ target }) => !after.has(target));
  return [
    ...head.map(({ target, error }) => ({ message: error.message, known: before.has(target) })),
    ...gone.map(({ error }) => ({ message: `at base only: ${error.message}`, known: true })),
  ];
}

/** What applying the change would delete or stop, as seen by the manager's guard; objects with errors stay. */
function guardedObjects(base: SideWorkloads, head: SideWorkloads): GuardedObject[] {
  const kept = new Map(
    head.namespaces.flatMap((place) => place.objects.map((object) => [idOf(place, object), object] as const)),
  );
  const stays = (place: RenderedNamespace, object: RenderedObject): boolean => {
    const id = idOf(place, object);
    const after = kept.get(id);
    if (after !== undefined) return isStopped(object) || !isStopped(after);
    const owner = base.owners.get(id)?.integration;
    return head.failed.has(`${place.cluster}/${place.namespace}`) || (owner !== undefined && head.wrong.has(owner));
  };
  return base.namespaces.flatMap((place) =>
    place.objects.map((object): GuardedObject => {
      const { cluster, environment, namespace } = place;
      const goes = !stays(place, object);
      return { cluster, environment, namespace, kind: object.kind, name: object.metadata.name, goes };
    }),
  );
}

function isStopped({ spec }: RenderedObject): boolean {
  return isJson(spec) && (spec['replicas'] === 0 || spec['suspend'] === true);
}

function idOf({ cluster, namespace }: RenderedNamespace, object: RenderedNamespace['objects'][number]): string {
  return workloadKey(cluster, namespace, object.kind, object.metadata.name);
}

/** The rendered objects of a namespace. */
interface RenderedNamespace {
  readonly cluster: string;
  readonly namespace: string;
  readonly environment: string;
  readonly objects: readonly RenderedObject[];
}

export interface RenderedObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: unknown;
}

/** The integration and shard of a workload. */
interface WorkloadOwner {
  readonly integration: string;
  readonly shard: string;
}

/** One side of a comparison, with the namespaces that could not be rendered. */
export interface RenderedSide {
  readonly namespaces: readonly RenderedNamespace[];
  /** By `workloadKey`. */
  readonly owners: ReadonlyMap<string, WorkloadOwner>;
  /** `cluster/namespace` of failed renders: what is missing of them is not compared. */
  readonly failed: ReadonlySet<string>;
  /** Integrations with errors, of which entries may be missing: what is missing is not compared. */
  readonly wrong: ReadonlySet<string>;
}

interface WorkloadPlace {
  readonly environment: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  readonly integration?: string;
  readonly shard?: string;
}

/** The change of one workload. */
export interface WorkloadChange extends WorkloadPlace {
  readonly change: 'added' | 'removed' | 'changed';
  /** Image of its first container, which runs the integration. */
  readonly image?: { readonly from?: string; readonly to?: string };
  readonly resources?: boolean;
  readonly replicas?: { readonly from: number; readonly to: number };
  /** Other fields change too. */
  readonly other?: boolean;
}

interface WorkloadDifference {
  readonly changes: readonly WorkloadChange[];
  /** Workloads at base. */
  readonly before: number;
  readonly after: number;
  /** Other objects, such as services, that change. */
  readonly otherObjects: number;
  /** `14 of 120 workloads change in 2 environments; 1 is removed`. */
  readonly summary: string;
  /** Absent if everything was compared. */
  readonly notCompared?: NotCompared;
}

/** What one side lacks because of errors, so that it may not have gone. */
interface NotCompared {
  /** As many as the other side has. */
  readonly workloads: number;
  readonly integrations: readonly string[];
  /** `cluster/namespace` of those that could not be rendered. */
  readonly namespaces: readonly string[];
}

const WORKLOADS = new Set(['Deployment', 'StatefulSet', 'CronJob']);

/** Identifies an object in a fleet. */
export function workloadKey(cluster: string, namespace: string, kind: string, name: string): string {
  return JSON.stringify([cluster, namespace, kind, name]);
}

/** The workloads that differ between two renderings, ordered by environment and integration. */
export function compareWorkloads(base: RenderedSide, head: RenderedSide): WorkloadDifference {
  const [before, after] = [listed(base), listed(head)];
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  const isHidden = (key: string): boolean =>
    (!before.has(key) && hides(base, after.get(key))) || (!after.has(key) && hides(head, before.get(key)));
  const hidden = keys.filter(isHidden).flatMap((key) => before.get(key) ?? after.get(key) ?? []);
  const compared = keys.filter((key) => !isHidden(key));
  const all = compared.flatMap((key) => changeOf(before.get(key), after.get(key)));
  const changes = all.filter(({ kind }) => WORKLOADS.has(kind)).toSorted(byPlace);
  const workloads = (objects: ReadonlyMap<string, Placed>): number =>
    compared.filter((key) => WORKLOADS.has(objects.get(key)?.place.kind ?? '')).length;
  const sizes = { before: workloads(before), after: workloads(after) };
  const notCompared = notComparedOf(hidden, [base, head]);
  return {
    ...{ changes, ...sizes, otherObjects: all.length - changes.length },
    summary: `${summaryOf(changes, sizes)}${notComparedText(notCompared)}`,
    ...defined({ notCompared }),
  };
}

/** Whether a side would lack an object that it should have: its namespace, or an entry of its integration, was not rendered. */
function hides({ failed, wrong }: RenderedSide, object: Placed | undefined): boolean {
  if (object === undefined) return false;
  const { cluster, namespace, integration } = object.place;
  return failed.has(`${cluster}/${namespace}`) || (integration !== undefined && wrong.has(integration));
}

function notComparedOf(hidden: readonly Placed[], sides: readonly RenderedSide[]): NotCompared | undefined {
  const failed = new Set(sides.flatMap((side) => [...side.failed]));
  const inNamespace = ({ place }: Placed): boolean => failed.has(`${place.cluster}/${place.namespace}`);
  const integrations = hidden.filter((each) => !inNamespace(each)).flatMap(({ place }) => place.integration ?? []);
  if (hidden.length + failed.size === 0) return undefined;
  return {
    workloads: hidden.filter(({ place }) => WORKLOADS.has(place.kind)).length,
    integrations: [...new Set(integrations)].sort(byText),
    namespaces: [...failed].sort(byText),
  };
}

function notComparedText(notCompared: NotCompared | undefined): string {
  if (notCompared === undefined) return '';
  const { workloads, integrations, namespaces } = notCompared;
  const names = [...integrations, ...namespaces];
  const more = names.length > MOST_LEFT_OUT ? ` and ${names.length - MOST_LEFT_OUT} more` : '';
  const many = workloads === 0 ? '' : `${workloads} `;
  return `; ${many}not compared: ${names.slice(0, MOST_LEFT_OUT).join(', ')}${more}`;
}

const MOST_LEFT_OUT = 5;

interface Placed {
  readonly place: WorkloadPlace;
  readonly object: RenderedObject;
}

function listed({ namespaces, owners }: RenderedSide): ReadonlyMap<string, Placed> {
  const objects = new Map<string, Placed>();
  for (const { cluster, namespace, environment, objects: own } of namespaces) {
    for (const object of own) {
      const { kind, metadata } = object;
      const key = workloadKey(cluster, namespace, kind, metadata.name);
      const place = { environment, cluster, namespace, kind, name: metadata.name, ...owners.get(key) };
      objects.set(key, { place, object });
    }
  }
  return objects;
}

function changeOf(before: Placed | undefined, after: Placed | undefined): WorkloadChange[] {
  if (before === undefined || after === undefined) {
    const [there, change] = before === undefined ? [after, 'added' as const] : [before, 'removed' as const];
    if (there === undefined) return [];
    const image = partsOfWorkload(there.object).image;
    const images = change === 'added' ? { to: image } : { from: image };
    return [{ ...there.place, change, ...(image === undefined ? {} : { image: images as { to?: string } }) }];
  }
  if (sameJson(before.object, after.object)) return [];
  return [
    {
      ...after.place,
      change: 'changed',
      ...differences(partsOfWorkload(before.object), partsOfWorkload(after.object)),
    },
  ];
}

/** The reported parts of a workload, and the rest. */
interface WorkloadParts {
  readonly image: string | undefined;
  readonly resources: unknown;
  readonly replicas: number;
  readonly rest: unknown;
}

type Node = Readonly<Record<string, unknown>>;

function partsOfWorkload(object: RenderedObject): WorkloadParts {
  const copy = structuredClone(object) as unknown as Record<string, unknown>;
  const spec = nodeAt(copy, 'spec');
  const replicas = typeof spec?.['replicas'] === 'number' ? spec['replicas'] : 1;
  if (spec !== undefined) delete spec['replicas'];
  const pod = nodeAt(nodeAt(nodeAt(spec, 'jobTemplate') ?? copy, 'spec'), 'template');
  const containers = nodeAt(pod, 'spec')?.['containers'];
  const all = (Array.isArray(containers) ? containers : []) as Record<string, unknown>[];
  const image = all[0]?.['image'];
  const resources = all.map((container) => container['resources']);
  for (const container of all) delete container['resources'];
  if (all[0] !== undefined) delete all[0]['image'];
  return { image: typeof image === 'string' ? image : undefined, resources, replicas, rest: copy };
}

function nodeAt(node: Node | undefined, key: string): Record<string, unknown> | undefined {
  const value = node?.[key];
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

function differences(
  from: WorkloadParts,
  to: WorkloadParts,
): Pick<WorkloadChange, 'image' | 'resources' | 'replicas' | 'other'> {
  const image = { ...defined({ from: from.image }), ...(to.image ? { to: to.image } : {}) };
  return {
    ...(from.image === to.image ? {} : { image }),
    ...(sameJson(from.resources, to.resources) ? {} : { resources: true }),
    ...(from.replicas === to.replicas ? {} : { replicas: { from: from.replicas, to: to.replicas } }),
    ...(sameJson(from.rest, to.rest) ? {} : { other: true }),
  };
}

/** Ignores the order of keys. */
function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(ordered(a)) === JSON.stringify(ordered(b));
}

function ordered(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(ordered);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .sort(([a], [b]) => byText(a, b))
      .map(([key, value]) => [key, ordered(value)]),
  );
}

function byPlace(a: WorkloadChange, b: WorkloadChange): number {
  return (
    byText(a.environment, b.environment) ||
    byText(a.integration ?? '', b.integration ?? '') ||
    byText(a.name, b.name) ||
    byText(a.cluster, b.cluster)
  );
}

/** The blast radius in one line. */
function summaryOf(changes: readonly WorkloadChange[], sizes: { before: number; after: number }): string {
  if (changes.length === 0) return `none of ${count(sizes.after, 'workload')} changes`;
  const of = (change: WorkloadChange['change']): number => changes.filter((item) => item.change === change).length;
  const environments = new Set(changes.map(({ environment }) => environment)).size;
  const verb = (n: number): string => (n === 1 ? 'is' : 'are');
  const [added, removed, changed] = [of('added'), of('removed'), of('changed')];
  return [
    `${changed} of ${count(sizes.before, 'workload')} ${changed === 1 ? 'changes' : 'change'} in ${count(environments, 'environment')}`,
    ...(added === 0 ? [] : [`${added} ${verb(added)} added`]),
    ...(removed === 0 ? [] : [`${removed} ${verb(removed)} removed`]),
  ].join('; ');
}

/** Shards of an integration with the same change in an environment. */
interface GroupedChange {
  readonly environment: string;
  readonly integration: string;
  readonly change: string;
  readonly shards: readonly string[];
}

/** In order of first appearance. */
export function groupedChanges(changes: readonly WorkloadChange[]): GroupedChange[] {
  const groups = new Map<string, GroupedChange & { readonly shards: string[] }>();
  for (const each of changes) {
    const { environment, integration = each.kind, shard = each.name } = each;
    const change = changeText(each);
    const key = JSON.stringify([environment, integration, change]);
    const group = groups.get(key) ?? { environment, integration, change, shards: [] };
    group.shards.push(shard);
    groups.set(key, group);
  }
  return [...groups.values()];
}

const MOST_NAMED = 4;

/** `a, b, c, d and 3 more`, or all names. */
export function shardNames(shards: readonly string[], all = false): string {
  if (all || shards.length <= MOST_NAMED + 1) return shards.join(', ');
  return `${shards.slice(0, MOST_NAMED).join(', ')} and ${shards.length - MOST_NAMED} more`;
}

/** A short description of a workload's change. */
export function changeText({ change, image, resources, replicas, other }: WorkloadChange): string {
  if (change === 'added') return image?.to === undefined ? 'added' : shortDigests(`added, ${image.to}`);
  if (change === 'removed') return 'removed';
  return [
    ...(image === undefined ? [] : [imageText(image.from ?? 'none', image.to ?? 'none')]),
    ...(resources === true ? ['resources'] : []),
    ...(replicas === undefined ? [] : [`replicas ${replicas.from} → ${replicas.to}`]),
    ...(other === true ? ['other fields'] : []),
  ].join(', ');
}

/** Leaves the repository out if only the tag changes. */
function imageText(from: string, to: string): string {
  const isSame = parseImage(from).repository === parseImage(to).repository;
  const [before, after] = [imageVersion(from), imageVersion(to)];
  return shortDigests(isSame && before !== '' && after !== '' ? `image ${before} → ${after}` : `image ${from} → ${to}`);
}
