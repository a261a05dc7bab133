import { byText } from '../../base/index.ts';
import type { DesiredNamespace, KubeObject } from '../desired.ts';
import { type Difference, differences } from './differences.ts';
import { keepsLiveParts } from './live-parts.ts';
import { ANNOTATION, objectHash } from './object-hash.ts';
import { type Owner, ownerOf, ownershipOf } from './ownership.ts';

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
}

/** One thing to do, or not to do, with the reason. An executor does exactly this and nothing else. */
export type PlanItem = ObjectName &
  (
    | { readonly action: 'create'; readonly object: KubeObject }
    | {
        readonly action: 'update';
        readonly object: KubeObject;
        readonly seen: Seen;
        readonly differences: readonly Difference[];
      }
    | {
        readonly action: 'adopt';
        readonly object: KubeObject;
        readonly seen: Seen;
        readonly differences: readonly Difference[];
        readonly reason: string;
      }
    | { readonly action: 'delete'; readonly seen: Seen; readonly reason: string }
    | { readonly action: 'keep' }
    | { readonly action: 'conflict'; readonly reason: string; readonly hint: string }
  );

/** What one namespace has, from one look at each kind. */
export interface LiveNamespace {
  readonly cluster: string;
  readonly namespace: string;
  readonly objects: readonly KubeObject[];
}

export interface PlanOptions {
  /** The upstream that this manager operates; objects of other managers are not its own. */
  readonly caller: string;
  /** Take over objects of the same name that nobody of ours owns. */
  readonly adopt?: boolean;
  /** Replace what cannot be changed in place. */
  readonly recreate?: boolean;
}

/** What brings a namespace from what it has to what it should have. Pure; ordered by kind and name. */
export function planNamespace(desired: DesiredNamespace, live: LiveNamespace, options: PlanOptions): PlanItem[] {
  const found = new Map(live.objects.map((object) => [keyOf(object), object]));
  const wanted = new Set(desired.objects.map(keyOf));
  const place = { cluster: desired.cluster, namespace: desired.namespace };
  const items = [
    ...desired.objects.map((object) => planObject(place, object, found.get(keyOf(object)), options)),
    ...live.objects
      .filter((object) => !wanted.has(keyOf(object)))
      .flatMap((object) => planRemoval(place, object, options)),
  ];
  return items.toSorted((a, b) => byText(a.kind, b.kind) || byText(a.name, b.name));
}

type Place = Pick<ObjectName, 'cluster' | 'namespace'>;

function keyOf({ kind, metadata }: KubeObject): string {
  return `${kind}/${metadata.name}`;
}

function planObject(place: Place, object: KubeObject, live: KubeObject | undefined, options: PlanOptions): PlanItem {
  const name = { ...place, kind: object.kind, name: object.metadata.name };
  if (live === undefined) return { ...name, action: 'create', object: owned(object, options) };
  const fitted = keepsLiveParts(object, live);
  if ('conflict' in fitted && options.recreate !== true) {
    return { ...name, action: 'conflict', reason: fitted.conflict, hint: fitted.hint };
  }
  return compared(name, owned('object' in fitted ? fitted.object : object, options), live, options);
}

function compared(name: ObjectName, object: KubeObject, live: KubeObject, options: PlanOptions): PlanItem {
  const ownership = ownershipOf(live, options.caller);
  const found = differences(withoutTime(live), withoutTime(object));
  if (ownership.owner === 'ours') {
    return found.length === 0
      ? { ...name, action: 'keep' }
      : { ...name, action: 'update', object, seen: seen(live), differences: found };
  }
  if (options.adopt === true && ownership.owner === 'nobody') {
    return { ...name, action: 'adopt', object, seen: seen(live), differences: found, reason: ownership.reason };
  }
  return { ...name, action: 'conflict', reason: ownership.reason, hint: HINTS[ownership.owner] };
}

const HINTS: Readonly<Record<Exclude<Owner, 'ours'>, string>> = {
  nobody: 'take it over with --adopt, or rename the integration',
  'another-manager': 'the two managers need different namespaces or different names',
};

/** Only what is surely ours is deleted. */
function planRemoval(place: Place, live: KubeObject, options: PlanOptions): PlanItem[] {
  if (ownerOf(live, options.caller) !== 'ours') return [];
  return [
    {
      ...place,
      kind: live.kind,
      name: live.metadata.name,
      action: 'delete',
      seen: seen(live),
      reason: 'no integration declares it any more',
    },
  ];
}

function seen({ metadata }: KubeObject): Seen {
  const { uid, resourceVersion } = metadata as { uid?: string; resourceVersion?: string };
  return { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
}

/** The object with the marks of its owner; the hash is of what the object says without them. */
function owned(object: KubeObject, { caller }: PlanOptions): KubeObject {
  const annotations = (object.metadata['annotations'] ?? {}) as Readonly<Record<string, string>>;
  return {
    ...object,
    metadata: {
      ...object.metadata,
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

/** When an object was written last is no difference. */
function withoutTime(object: KubeObject): KubeObject {
  const { [ANNOTATION.update]: _, ...annotations } = (object.metadata['annotations'] ?? {}) as Record<string, string>;
  return { ...object, metadata: { ...object.metadata, annotations } };
}
