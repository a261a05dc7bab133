import { byText, defined } from '../../base/index.ts';
import { type DesiredNamespace, type KubeObject, objectKey } from '../desired/desired-namespace.ts';
import { type Difference, differences, type FieldDifference, toldDifference } from './differences.ts';
import { holdersOf, isApplied } from './field-owners.ts';
import { keepsLiveParts } from './live-parts.ts';
import { ANNOTATION, fingerprint, objectHash } from './object-hash.ts';
import { mayDelete, type Owner, ownershipOf } from './ownership.ts';
import { labelsOf, type OwnershipLabels } from './ownership-labels.ts';
import { removals } from './removals.ts';
import { formerManagers } from './take-over.ts';

/** The kinds of objects that a manager operates. */
export const KINDS = ['CronJob', 'Deployment', 'Service', 'StatefulSet'] as const;

export interface ObjectName {
  readonly cluster: string;
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
}

/** What deleting or changing an object depends on: that it is still the one that was looked at. */
export interface Seen {
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Of everything that it says; what the server reports about it may change. */
  readonly fingerprint: string;
}

interface Write {
  readonly object: KubeObject;
  readonly seen: Seen;
  readonly differences: readonly Difference[];
  /** Field managers whose fields become Echelon's with this write. */
  readonly takeOver?: readonly string[];
  /** Takes fields that others hold. */
  readonly force: boolean;
}

/** One thing to do, or not to do, with the reason. An executor does exactly this and nothing else. */
export type PlanItem = ObjectName &
  (
    | { readonly action: 'create'; readonly object: KubeObject }
    | ({ readonly action: 'update' } & Write)
    | ({ readonly action: 'adopt'; readonly reason: string } & Write)
    | ({ readonly action: 'recreate'; readonly reason: string } & Write)
    | { readonly action: 'delete'; readonly seen: Seen; readonly reason: string }
    | { readonly action: 'keep' }
    | { readonly action: 'conflict'; readonly reason: string; readonly hint: string }
    | { readonly action: 'withhold'; readonly reason: string; readonly hint: string }
  );

export type Action = PlanItem['action'];

/** What one namespace has, from one look at each kind. */
export interface LiveNamespace {
  readonly cluster: string;
  readonly namespace: string;
  readonly objects: readonly KubeObject[];
}

export interface PlanOptions {
  /** The upstream that this manager operates; objects of other managers are not its own. */
  readonly caller: string;
  /** What tells this data repository from others; see `OwnershipLabels`. */
  readonly instance?: string;
  /** Take over objects of the same name that nobody of ours owns. */
  readonly adopt?: boolean;
  /** Replace what cannot be changed in place. */
  readonly recreate?: boolean;
  /** Take fields from other managers. */
  readonly forceConflicts?: boolean;
}

/** What brings a namespace from what it has to what it should have. Pure; ordered by kind and name. */
export function planNamespace(desired: DesiredNamespace, live: LiveNamespace, options: PlanOptions): PlanItem[] {
  const found = new Map(live.objects.map((object) => [objectKey(object), object]));
  const wanted = new Set(desired.objects.map(objectKey));
  const place = { cluster: desired.cluster, namespace: desired.namespace };
  const marks = { ...options, environment: desired.environment };
  const items = [
    ...desired.objects.map((object) => planObject(place, object, found.get(objectKey(object)), marks)),
    ...live.objects
      .filter((object) => !wanted.has(objectKey(object)))
      .flatMap((object) => planRemoval(place, object, options)),
  ];
  return items.toSorted((a, b) => byText(a.kind, b.kind) || byText(a.name, b.name));
}

type Place = Pick<ObjectName, 'cluster' | 'namespace'>;
type Marked = PlanOptions & Pick<DesiredNamespace, 'environment'>;

function planObject(place: Place, object: KubeObject, live: KubeObject | undefined, options: Marked): PlanItem {
  const name = { ...place, kind: object.kind, name: object.metadata.name };
  if (!isOperated(object.kind)) return unoperated(name);
  // The hash is of what is declared: what stays as it is live, such as a restart, is no change of it.
  const marked = owned(object, options);
  if (live === undefined) return { ...name, action: 'create', object: marked };
  const fitted = keepsLiveParts(marked, live);
  if ('object' in fitted) return compared(name, fitted.object, live, options);
  if (options.recreate !== true) {
    return { ...name, action: 'conflict', reason: fitted.conflict, hint: fitted.hint };
  }
  const item = compared(name, marked, live, options);
  return item.action === 'update' ? { ...item, action: 'recreate', reason: fitted.conflict } : item;
}

function isOperated(kind: string): boolean {
  return (KINDS as readonly string[]).includes(kind);
}

function unoperated(name: ObjectName): PlanItem {
  return {
    ...name,
    action: 'conflict',
    reason: `a manager does not operate objects of the kind ${name.kind}`,
    hint: `leave it out of the chart; a manager operates ${KINDS.join(', ')}`,
  };
}

function compared(name: ObjectName, object: KubeObject, live: KubeObject, options: PlanOptions): PlanItem {
  const ownership = ownershipOf(live, options.caller, options.instance);
  const found = differences(live, object);
  if (ownership.owner === 'ours') {
    return found.length === 0 ? { ...name, action: 'keep' } : planUpdate(name, object, live, found, options);
  }
  if (options.adopt === true && ownership.owner === 'nobody') {
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
  if (isApplied(live) && forceConflicts !== true) {
    const held = found.map(({ path, steps }) => ({ path, holders: holdersOf(live, steps) }));
    const taken = held.filter(({ holders }) => holders.length > 0);
    if (taken.length > 0) return heldByOthers(name, taken);
  }
  return { ...name, action: 'update', ...writeOf(object, live, found, forceConflicts === true) };
}

function heldByOthers(
  name: ObjectName,
  taken: readonly { readonly path: string; readonly holders: readonly string[] }[],
): PlanItem {
  const fields = taken.map(({ path, holders }) => `${path} (${holders.join(', ')})`);
  return {
    ...name,
    action: 'conflict',
    reason: `other field managers hold what should change: ${fields.join('; ')}`,
    hint: 'use --force-conflicts to take the fields back, or undo the change with the tool that made it',
  };
}

function writeOf(object: KubeObject, live: KubeObject, found: readonly FieldDifference[], force: boolean): Write {
  const takeOver = isApplied(live) ? [] : formerManagers(live);
  return {
    object,
    seen: seenOf(live),
    differences: [...found, ...removals(live, object, takeOver.length > 0)].map(toldDifference),
    force: force || !isApplied(live),
    ...(takeOver.length === 0 ? {} : { takeOver }),
  };
}

const HINTS: Readonly<Record<Exclude<Owner, 'ours'>, string>> = {
  nobody: 'take it over with --adopt, or rename the integration',
  'another-manager': 'the two managers need different namespaces or different names',
};

function planRemoval(place: Place, live: KubeObject, options: PlanOptions): PlanItem[] {
  if (!mayDelete(live, options.caller)) return [];
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

/** What was looked at, to know it again. */
export function seenOf(live: KubeObject): Seen {
  const { uid, resourceVersion } = live.metadata as { uid?: string; resourceVersion?: string };
  return {
    ...defined({ uid, resourceVersion }),
    fingerprint: fingerprint(live),
  };
}

/** Objects that are rendered once are marked once; a pass over an unchanged instance then only compares. */
const MARKED = new WeakMap<KubeObject, { readonly key: string; readonly object: KubeObject }>();

function owned(object: KubeObject, { caller, instance, environment }: Marked): KubeObject {
  const key = JSON.stringify([caller, instance, environment]);
  const known = MARKED.get(object);
  if (known?.key === key) return known.object;
  const marked = withMarks(object, caller, { environment, ...defined({ instance }) });
  MARKED.set(object, { key, object: marked });
  return marked;
}

/** The object with the marks of its owner; the hash is of what the object says without them, as existing fleets have it. */
function withMarks(object: KubeObject, caller: string, marks: OwnershipLabels): KubeObject {
  const annotations = (object.metadata['annotations'] ?? {}) as Readonly<Record<string, string>>;
  const labels = (object.metadata['labels'] ?? {}) as Readonly<Record<string, string>>;
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...labels, ...labelsOf(marks) },
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
