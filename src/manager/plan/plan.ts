import { byText, defined } from '../../base/index.ts';
import { type DesiredNamespace, type KubeObject, objectKey } from '../desired/desired-namespace.ts';
import { firstImage, isWorkload } from '../desired/identity.ts';
import type { RenderScope } from '../desired/select.ts';
import { chosenObject } from './chosen-image.ts';
import type { Precondition } from './cluster-api.ts';
import { type Difference, differences, type FieldDifference, reportedDifference } from './differences.ts';
import { holdersOf, isApplied } from './field-owners.ts';
import type { ImageChoice } from './image-choice.ts';
import { isJoint, isOfRepository, type Neighbours, neighboursIn } from './joint-objects.ts';
import { keepsLiveParts } from './live-parts.ts';
import { ANNOTATION, fingerprint, objectHash } from './object-hash.ts';
import { type CallerNames, mayDelete, type Owner, ownerOf, ownershipOf } from './ownership.ts';
import { labelsOf, type OwnershipLabels } from './ownership-labels.ts';
import { removals } from './removals.ts';
import { replicasHolder } from './scaled-by-hand.ts';
import { formerEntry, formerManagers, wasHandedBack } from './take-over.ts';

/** The kinds that a manager operates. */
export const KINDS = ['CronJob', 'Deployment', 'Service', 'StatefulSet'] as const;

export interface ObjectName {
  readonly cluster: string;
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
}

/** Precondition for a change or deletion: the object is still the one that was observed. */
export interface Seen extends Precondition {
  /** Over the object's content; its status may change. */
  readonly fingerprint: string;
}

interface Write {
  readonly object: KubeObject;
  readonly seen: Seen;
  readonly differences: readonly Difference[];
  /** Field managers whose fields Echelon takes over with this write. */
  readonly takeOver?: readonly string[];
  /** Overrides fields that other managers hold. */
  readonly force: boolean;
}

/** One action, or the reason not to act. The executor does exactly this and nothing else. */
export type PlanItem = ObjectName &
  (
    | { readonly action: 'create'; readonly object: KubeObject }
    | ({ readonly action: 'update' } & Write)
    | ({ readonly action: 'adopt'; readonly reason: string } & Write)
    | ({ readonly action: 'recreate'; readonly reason: string } & Write)
    | {
        readonly action: 'delete';
        readonly seen: Seen;
        readonly reason: string;
        /** Only after these objects were created: they replace it. */
        readonly after?: readonly ObjectName[];
      }
    | { readonly action: 'keep' }
    | {
        /** A rollout keeps the workload as it is. */
        readonly action: 'hold';
        /** Its live image; absent when it has no object yet. */
        readonly image?: string;
        /** The image that is declared. */
        readonly target: string;
        readonly reason: string;
        /** What changes with it. */
        readonly waits: readonly Difference[];
      }
    | { readonly action: 'conflict'; readonly reason: string; readonly hint: string }
    | {
        readonly action: 'withhold';
        /** What is withheld. */
        readonly withholds: 'create' | 'update' | 'adopt' | 'recreate' | 'delete';
        readonly reason: string;
        readonly hint: string;
      }
  );

export type Action = PlanItem['action'];

/** The live objects of a namespace, from one list per kind. */
export interface LiveNamespace {
  readonly cluster: string;
  readonly namespace: string;
  readonly objects: readonly KubeObject[];
}

export interface PlanOptions {
  /** The upstream that this manager operates; it does not own other managers' objects. */
  readonly caller: string;
  /** Without one upstream in scope: those whose objects are this manager's too. */
  readonly callers?: readonly string[];
  /** What the instance declares of an object's integration, whichever its upstream; undefined if it declares none. */
  readonly declaredFor?: DeclaredFor;
  /** Identifies this data repository; see `OwnershipLabels`. */
  readonly instance?: string;
  readonly scope?: RenderScope;
  /** Take over objects with the same name that no manager owns. */
  readonly adopt?: boolean;
  /** Replace objects whose immutable fields must change. */
  readonly recreate?: boolean;
  /** Override fields that other managers hold. */
  readonly forceConflicts?: boolean;
  /** What rollouts say about workloads that do not simply get the declared image. */
  readonly images?: (name: ObjectName) => ImageChoice | undefined;
}

/** The upstream of the integration that an object of a namespace belongs to, as declared there. */
export type DeclaredFor = (object: KubeObject, namespace: string) => { readonly upstream?: string } | undefined;

/**
 * Plans how to bring a namespace from its live to its desired state. Pure; ordered by kind and name.
 *
 * @param all every object of the namespace, including those that are not this manager's concern.
 */
export function planNamespace(
  desired: DesiredNamespace,
  live: LiveNamespace,
  options: PlanOptions,
  all: readonly KubeObject[] = live.objects,
): PlanItem[] {
  const found = new Map(live.objects.map((object) => [objectKey(object), object]));
  const wanted = new Set(desired.objects.map(objectKey));
  const place = { cluster: desired.cluster, namespace: desired.namespace };
  const { instance, scope, adopt } = options;
  const own = { caller: callersOf(options), ...defined({ instance, environment: scope?.environment }) };
  const neighbours = neighboursIn(all, own, (object) => {
    const { owner } = ownershipOf(object, callersOf(options), instance);
    return wanted.has(objectKey(object)) && (owner === 'ours' || (adopt === true && owner === 'unmanaged'));
  });
  const labels = { ...options, environment: desired.environment, neighbours };
  const items = [
    ...desired.objects.map((object) => {
      const key = objectKey(object);
      const caller = sharedCaller(found.get(key), options) ?? desired.callers?.get(key);
      return planObject(place, object, found.get(key), caller === undefined ? labels : { ...labels, caller });
    }),
    ...live.objects
      .filter((object) => !wanted.has(objectKey(object)))
      .flatMap((object) => planRemoval(place, object, labels)),
  ];
  return items.toSorted((a, b) => byText(a.kind, b.kind) || byText(a.name, b.name));
}

/** An object that several upstreams share stays with the one that it has, as long as that is one of this manager's. */
function sharedCaller(live: KubeObject | undefined, { callers }: PlanOptions): string | undefined {
  if (callers === undefined || live === undefined || !isJoint(live)) return undefined;
  const annotations = (live.metadata['annotations'] ?? {}) as Readonly<Record<string, unknown>>;
  return callers.find((caller) => caller === annotations[ANNOTATION.caller]);
}

function callersOf({ caller, callers }: Pick<PlanOptions, 'caller' | 'callers'>): CallerNames {
  return callers ?? caller;
}

type Place = Pick<ObjectName, 'cluster' | 'namespace'>;
type OwnedOptions = PlanOptions & Pick<DesiredNamespace, 'environment'> & { readonly neighbours: Neighbours };

function planObject(place: Place, object: KubeObject, live: KubeObject | undefined, options: OwnedOptions): PlanItem {
  const name = { ...place, kind: object.kind, name: object.metadata.name };
  if (!isOperated(object.kind)) return unoperated(name);
  const choice = isWorkload(object) ? options.images?.(name) : undefined;
  if (choice !== undefined) return planChoice(name, object, live, choice, options);
  // The hash covers what is declared: live parts that are kept, such as a restart, do not change it.
  const labelled = owned(object, options);
  if (live === undefined) return { ...name, action: 'create', object: labelled };
  if (isJoint(live) && isKeptByAnother(live, options)) return { ...name, action: 'keep' };
  if (isStillEqual(labelled, live)) return { ...name, action: 'keep' };
  const item = planChange(name, labelled, live, options);
  if (item.action === 'keep') EQUAL.set(labelled, versionOf(live));
  return item;
}

/** Under a rollout: the workload stays, gets what may change meanwhile, or another image than the declared one. */
function planChoice(
  name: ObjectName,
  object: KubeObject,
  live: KubeObject | undefined,
  choice: ImageChoice,
  options: OwnedOptions,
): PlanItem {
  const labelled = owned(object, options);
  const image = live === undefined ? undefined : firstImage(live);
  const waits = live === undefined ? [] : differences(live, declaredOn(labelled, live)).map(reportedDifference);
  const target = choice.kind === 'hold' ? choice.target : (firstImage(object) ?? '');
  const left = (reason: string): PlanItem => ({
    ...name,
    action: 'hold',
    target,
    reason,
    waits,
    ...defined({ image }),
  });
  const chosen = chosenObject(live === undefined ? object : labelled, live, choice);
  if ('left' in chosen) return left(chosen.left);
  if (live === undefined) return { ...name, action: 'create', object: owned(chosen.object, options) };
  const item = compared(name, chosen.object, live, options);
  return item.action === 'keep' && choice.kind === 'hold' ? left(choice.reason) : item;
}

function declaredOn(labelled: KubeObject, live: KubeObject): KubeObject {
  const fitted = keepsLiveParts(labelled, live);
  return 'object' in fitted ? fitted.object : labelled;
}

/** The live version at which an object had its desired state: until the server changes the version, it still has it. */
const EQUAL = new WeakMap<KubeObject, ReturnType<typeof versionOf>>();

function isStillEqual(labelled: KubeObject, live: KubeObject): boolean {
  const { uid, resourceVersion } = versionOf(live);
  if (uid === undefined || resourceVersion === undefined) return false;
  const equal = EQUAL.get(labelled);
  return equal?.uid === uid && equal.resourceVersion === resourceVersion;
}

function planChange(name: ObjectName, labelled: KubeObject, live: KubeObject, options: OwnedOptions): PlanItem {
  const fitted = keepsLiveParts(labelled, live);
  if ('object' in fitted) return compared(name, fitted.object, live, options);
  if (options.recreate !== true) {
    return { ...name, action: 'conflict', reason: fitted.conflict, hint: fitted.hint };
  }
  const item = compared(name, labelled, live, options);
  return item.action === 'update' ? { ...item, action: 'recreate', reason: fitted.conflict } : item;
}

function isOperated(kind: string): boolean {
  return (KINDS as readonly string[]).includes(kind);
}

function unoperated(name: ObjectName): PlanItem {
  return {
    ...name,
    action: 'conflict',
    reason: `the manager does not support kind ${name.kind}`,
    hint: `remove it from the chart; supported kinds: ${KINDS.join(', ')}`,
  };
}

function compared(name: ObjectName, object: KubeObject, live: KubeObject, options: PlanOptions): PlanItem {
  const ownership = ownershipOf(live, callersOf(options), options.instance);
  const found = differences(live, object);
  if (ownership.owner === 'ours' || (ownership.owner === 'another-manager' && hasComeOver(name, live, options))) {
    const isSettled = found.length === 0 && !wasHandedBack(live);
    return isSettled ? { ...name, action: 'keep' } : planUpdate(name, object, live, found, options);
  }
  if (options.adopt === true && ownership.owner === 'unmanaged') {
    return { ...name, action: 'adopt', reason: ownership.reason, ...writeOf(object, live, found, true) };
  }
  return { ...name, action: 'conflict', reason: ownership.reason, hint: HINTS[ownership.owner] };
}

function planUpdate(
  name: ObjectName,
  object: KubeObject,
  live: KubeObject,
  found: readonly FieldDifference[],
  { forceConflicts }: PlanOptions,
): PlanItem {
  const taken = forceConflicts === true ? [] : takenFields(object, live, found);
  if (taken.length > 0) return heldByOthers(name, taken);
  return { ...name, action: 'update', ...writeOf(object, live, found, forceConflicts === true) };
}

/** The fields to change that others hold, each with its holders. */
function takenFields(object: KubeObject, live: KubeObject, found: readonly FieldDifference[]): string[] {
  const isFormer = formerEntry(live);
  return found.flatMap(({ path, steps }) => {
    const others = isApplied(live) ? holdersOf(live, steps, (entry) => !isFormer(entry)).join(', ') : '';
    const holder = path === 'spec.replicas' ? (replicasHolder(live, object) ?? '') : others;
    return holder === '' ? [] : [`${path} (${holder})`];
  });
}

function heldByOthers(name: ObjectName, taken: readonly string[]): PlanItem {
  return {
    ...name,
    action: 'conflict',
    reason: `fields to change are held by other field managers: ${taken.join('; ')}`,
    hint: 'pass --force-conflicts to override them, or undo the change with the tool that made it',
  };
}

function writeOf(object: KubeObject, live: KubeObject, found: readonly FieldDifference[], force: boolean): Write {
  const takeOver = formerManagers(live);
  return {
    object,
    seen: seenOf(live),
    differences: [...found, ...removals(live, object, takeOver.length > 0)].map(reportedDifference),
    force: force || !isApplied(live),
    ...(takeOver.length === 0 ? {} : { takeOver }),
  };
}

const HINTS: Readonly<Record<Exclude<Owner, 'ours'>, string>> = {
  unmanaged: 'pass --adopt to take it over, or rename the integration',
  'another-manager': 'use different namespaces or names for the two managers',
};

/** Whether this data repository wrote it for another upstream, and now declares its integration for this one. */
function hasComeOver(
  { namespace }: ObjectName,
  live: KubeObject,
  { caller, instance, declaredFor }: PlanOptions,
): boolean {
  return isOfRepository(live, instance) && declaredFor?.(live, namespace)?.upstream === caller;
}

function isKeptByAnother(live: KubeObject, options: OwnedOptions): boolean {
  return ownerOf(live, callersOf(options)) === 'ours' && options.neighbours.maintains(live);
}

function planRemoval(place: Place, live: KubeObject, options: OwnedOptions): PlanItem[] {
  if (!mayRemove(live, options) || isOfAnotherUpstream(place, live, options)) return [];
  return [
    {
      ...place,
      kind: live.kind,
      name: live.metadata.name,
      action: 'delete',
      seen: seenOf(live),
      reason: 'no integration declares it any more',
    },
  ];
}

/** The item, not to be applied for now; an item that changes nothing stays as it is. */
export function withheld(item: PlanItem, reason: string, hint: string): PlanItem {
  const { cluster, namespace, kind, name, action } = item;
  if (action === 'keep' || action === 'conflict' || action === 'withhold' || action === 'hold') return item;
  return { cluster, namespace, kind, name, action: 'withhold', withholds: action, reason, hint };
}

/** A manager of one upstream leaves alone what is declared for another, even if it was written as its own. */
function isOfAnotherUpstream({ namespace }: Place, live: KubeObject, { scope, declaredFor }: PlanOptions): boolean {
  if (scope?.upstream === undefined) return false;
  const declared = declaredFor?.(live, namespace);
  return declared !== undefined && declared.upstream !== scope.upstream;
}

/** A joint object goes with the last workload of any manager. */
function mayRemove(live: KubeObject, options: OwnedOptions): boolean {
  const { callers, instance, neighbours } = options;
  const own = callersOf(options);
  if (!isJoint(live)) return mayDelete(live, own) || (callers !== undefined && isManagedHere(live, instance));
  if (neighbours.any || ownerOf(live, own) !== 'ours') return false;
  return mayDelete(live, own) || isOfRepository(live, instance);
}

/** The manager of all upstreams also removes what was written for one that is gone. */
function isManagedHere(live: KubeObject, instance: string | undefined): boolean {
  return ownerOf(live, []) === 'another-manager' && isOfRepository(live, instance);
}

/** Identifies the observed state of an object. */
export function seenOf(live: KubeObject): Seen {
  return { ...defined(versionOf(live)), fingerprint: fingerprint(live) };
}

function versionOf({ metadata: { uid, resourceVersion } }: KubeObject): Pick<Seen, 'uid' | 'resourceVersion'> {
  return { uid, resourceVersion } as { uid?: string; resourceVersion?: string };
}

/** Labels each rendered object once, so that a pass over an unchanged instance only compares. */
const OWNED = new WeakMap<KubeObject, { readonly key: string; readonly object: KubeObject }>();

function owned(object: KubeObject, { caller, instance, environment }: OwnedOptions): KubeObject {
  const key = JSON.stringify([caller, instance, environment]);
  const known = OWNED.get(object);
  if (known?.key === key) return known.object;
  const labelled = withOwnership(object, caller, { environment, ...defined({ instance }) });
  OWNED.set(object, { key, object: labelled });
  return labelled;
}

/** The object with its ownership labels and annotations; the hash excludes them, as in existing fleets. */
function withOwnership(object: KubeObject, caller: string, ownership: OwnershipLabels): KubeObject {
  const annotations = (object.metadata['annotations'] ?? {}) as Readonly<Record<string, string>>;
  const labels = (object.metadata['labels'] ?? {}) as Readonly<Record<string, string>>;
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...labels, ...labelsOf(ownership) },
      annotations: {
        ...annotations,
        [ANNOTATION.integration]: 'integrations-manager',
        [ANNOTATION.version]: '0.1.0',
        [ANNOTATION.sha256sum]: objectHash(object),
        [ANNOTATION.caller]: caller,
      },
    },
  };
}
