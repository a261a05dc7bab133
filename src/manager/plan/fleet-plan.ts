import { byText, defined } from '../../base/index.ts';
import { type DesiredNamespace, type KubeObject, objectKey } from '../desired/desired-namespace.ts';
import type { RenderScope } from '../desired/select.ts';
import type { GuardBreach, ImageBreach } from './guard.ts';
import { type GuardedOptions, guardedItems } from './guarded-items.ts';
import { creationsWithDeletions, deletionsAfterMoves, type UnrenderedShard } from './moves.ts';
import type { LiveCluster, PlaceFailure } from './observe.ts';
import { observedItems } from './observed-item.ts';
import { integrationFilter } from './only-integrations.ts';
import { LABEL, labelsOf } from './ownership-labels.ts';
import { clusterNames, declaredObjects, observedId, type PlaceToPlan, placeOf, placesToPlan } from './places.ts';
import { planNamespace } from './plan.ts';
import { type Action, type PlanItem, withheld } from './plan-item.ts';
import type { LiveNamespace, PlanOptions } from './plan-options.ts';
import type { Removal } from './recent-removals.ts';
import { type TakeOver, takeOverOf, withoutTemplateChanges } from './template-changes.ts';

/** Everything that a pass would do, as data: it is printed, saved and compared, and nothing else is applied. */
export interface FleetPlan {
  /** The instance's revision. */
  readonly revision: string;
  readonly scope: RenderScope;
  /** Ordered by cluster, namespace, kind and name. */
  readonly items: readonly PlanItem[];
  readonly failures: readonly PlaceFailure[];
  readonly breaches: readonly (GuardBreach | ImageBreach)[];
  /** What the plan deletes or stops, to be remembered for an hour; empty with explicit consent. */
  readonly removals: readonly Removal[];
  /** Clusters where only the namespaces that integrations declare could be read. */
  readonly blind: readonly string[];
  /** Absent if nothing is taken over from an existing manager. */
  readonly takeOver?: TakeOver;
}

export interface FleetPlanOptions extends PlanOptions, GuardedOptions {
  readonly revision: string;
  readonly scope: RenderScope;
  /** Change pod templates of workloads that are taken over from an existing manager. */
  readonly adoptTemplates?: boolean;
  /** Why nothing may be deleted: what the instance declares is not fully known. */
  readonly incomplete?: string;
  /** Namespaces, as `cluster/namespace`, that could not be rendered completely. */
  readonly partial?: ReadonlySet<string>;
  /** Only workloads of these integrations, and no deletions; everything when absent. */
  readonly integrations?: readonly string[];
  /** Declared shards of those namespaces that have no object. */
  readonly unrendered?: () => readonly UnrenderedShard[];
}

/** Plans how to bring clusters from their live to their desired state. Pure. */
export function planFleet(
  desired: readonly DesiredNamespace[],
  live: readonly LiveCluster[],
  options: FleetPlanOptions,
): FleetPlan {
  const names = clusterNames(live);
  const places = placesToPlan(desired, live);
  const observed = observedItems(desired, live);
  const filter = options.integrations && integrationFilter(options.integrations, desired, observed);
  const found = places.flatMap((place) => planPlace(place, options));
  const all = filter?.withoutDeletions(found) ?? found;
  const adoptTemplates = options.adoptTemplates === true;
  const takeOver = takeOverOf(all, adoptTemplates);
  const planned = withoutTemplateChanges(all, adoptTemplates);
  const whole = withheldIfDeclared(planned, places).map((item) =>
    withheldWhereIncomplete(item, names(item.cluster), options),
  );
  const moved = deletionsAfterMoves(whole.toSorted(byPlace), desired, observed, options.unrendered);
  const { items, breaches, removals } = guardedItems(moved, observed, options);
  const paired = creationsWithDeletions(items, observed);
  return {
    revision: options.revision,
    scope: options.scope,
    items: filter?.shown(paired) ?? paired,
    failures: live.flatMap(({ failures }) => failures),
    breaches,
    removals,
    blind: blindClusters(live, names),
    ...defined({ takeOver }),
  };
}

function planPlace({ found, declared, elsewhere, twice, sweeps }: PlaceToPlan, options: FleetPlanOptions): PlanItem[] {
  const isOwn = (object: KubeObject): boolean => !elsewhere.has(objectKey(object));
  const seen = { ...found, objects: found.objects.filter(isOwn) };
  if (declared === undefined) {
    return sweeps ? planNamespace(nothingFor(found), orphansIn(seen, options), options, found.objects) : [];
  }
  const wanted = new Set(declared.objects.map(objectKey));
  const visible = sweeps ? seen : { ...seen, objects: seen.objects.filter((object) => wanted.has(objectKey(object))) };
  const own = withoutOthers(declared, visible, options);
  return [...twice, ...planNamespace(declared, own, options, found.objects)];
}

/** Under another name the cluster may be seen completely. */
function blindClusters(live: readonly LiveCluster[], names: (cluster: string) => readonly string[]): string[] {
  const blind = new Set(live.filter((one) => one.blind).map(({ cluster }) => cluster));
  return [...blind].filter((cluster) => names(cluster).every((name) => blind.has(name)));
}

function nothingFor({ cluster, namespace }: Pick<LiveNamespace, 'cluster' | 'namespace'>): DesiredNamespace {
  return { cluster, namespace, file: '', environment: '', objects: [] };
}

/**
 * In a namespace where nothing is declared, a manager's objects may belong to another environment or data repository: only
 * objects with this manager's ownership labels are its orphans.
 */
function orphansIn(found: LiveNamespace, { instance, scope: { environment } }: FleetPlanOptions): LiveNamespace {
  if (instance === undefined) return { ...found, objects: [] };
  const expected = Object.entries(labelsOf({ instance, ...defined({ environment }) }));
  const isOurs = ({ metadata }: KubeObject): boolean => {
    const labels = (metadata['labels'] ?? {}) as Readonly<Record<string, unknown>>;
    return expected.every(([key, value]) => labels[key] === value);
  };
  return { ...found, objects: found.objects.filter(isOurs) };
}

/** Leaves out undeclared objects that another environment or data repository has labelled as its own. */
function withoutOthers(declared: DesiredNamespace, found: LiveNamespace, options: FleetPlanOptions): LiveNamespace {
  const wanted = new Set(declared.objects.map(objectKey));
  const objects = found.objects.filter((object) => wanted.has(objectKey(object)) || !isAnothers(object, options));
  return { ...found, objects };
}

function isAnothers({ metadata }: KubeObject, { instance, scope: { environment } }: FleetPlanOptions): boolean {
  const labels = (metadata['labels'] ?? {}) as Readonly<Record<string, unknown>>;
  const own = labelsOf({
    ...defined({ instance, environment }),
  });
  const differs = (key: string): boolean => labels[key] !== undefined && labels[key] !== own[key];
  return differs(LABEL.instance) || (environment !== undefined && differs(LABEL.environment));
}

function byPlace(a: PlanItem, b: PlanItem): number {
  return byText(placeOf(a), placeOf(b)) || byText(a.kind, b.kind) || byText(a.name, b.name);
}

function withheldWhereIncomplete(
  item: PlanItem,
  names: readonly string[],
  { incomplete, partial }: FleetPlanOptions,
): PlanItem {
  if (item.action !== 'delete') return item;
  const isPartial = names.some((cluster) => partial?.has(placeOf({ ...item, cluster })));
  const why = incomplete ?? (isPartial ? 'its namespace could not be rendered completely' : undefined);
  return why === undefined ? item : withheld(item, why, 'fix the errors first: the object may still be declared');
}

/** An object with the same uid that is declared under another cluster name: both names lead to one API server. */
function withheldIfDeclared(items: readonly PlanItem[], places: readonly PlaceToPlan[]): readonly PlanItem[] {
  if (!items.some(({ action }) => action === 'delete')) return items;
  const declared = declaredObjects(places);
  return items.map((item) => {
    if (item.action !== 'delete' || item.seen.uid === undefined) return item;
    const other = declared.get(observedId(item, item.seen.uid));
    if (other === undefined) return item;
    const reason = `${placeOf(other)} declares it: ${item.cluster} and ${other.cluster} are the same API server`;
    return withheld(item, reason, 'use one cluster name, or the same serverUrl, for an API server');
  });
}

const ACTIONS: readonly Action[] = [
  'create',
  'update',
  'adopt',
  'recreate',
  'delete',
  'hold',
  'withhold',
  'conflict',
  'keep',
];

export type Summary = Readonly<Record<Action, number>>;

/** The number of items per action. */
export function summaryOf({ items }: Pick<FleetPlan, 'items'>): Summary {
  const counts = Object.fromEntries(ACTIONS.map((action) => [action, 0])) as Record<Action, number>;
  for (const { action } of items) counts[action] += 1;
  return counts;
}

/** The items that change something. */
export function changesOf({ items }: Pick<FleetPlan, 'items'>): PlanItem[] {
  return items.filter(({ action }) => !['keep', 'hold', 'conflict', 'withhold'].includes(action));
}
