import * as z from 'zod';
import { defined, EchelonError, type Json, sha256Of } from '../../base/index.ts';
import type { ClusterAccess } from '../../instance/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { firstImage } from '../desired/identity.ts';
import type { FleetPlan } from './fleet-plan.ts';
import type { LiveCluster, Target } from './observe.ts';
import { placeOf } from './places.ts';
import type { PlanItem } from './plan-item.ts';
import { seenOf } from './seen.ts';

/** A plan in a file, with how to reach its clusters: references to tokens, never the tokens. */
export interface SavedPlan {
  readonly apiVersion: 'echelon/v1';
  readonly kind: 'Plan';
  readonly revision: string;
  readonly created: string;
  readonly scope: FleetPlan['scope'];
  readonly clusters: readonly ClusterAccess[];
  readonly items: readonly PlanItem[];
  /** The version of the record of rollouts that was decided on; absent when it was made without rollouts. */
  readonly rolloutRecord?: string;
  /** Over everything above, to detect a truncated or edited file. */
  readonly sha256: string;
}

/** Only items that change something are saved. */
export function savedPlan(
  plan: FleetPlan,
  items: readonly PlanItem[],
  clusters: readonly ClusterAccess[],
  created: Date,
  rolloutRecord?: string,
): SavedPlan {
  const used = new Set(items.map(({ cluster }) => cluster));
  const content = {
    apiVersion: 'echelon/v1',
    kind: 'Plan',
    revision: plan.revision,
    created: created.toISOString(),
    scope: plan.scope,
    clusters: clusters.filter(({ name }) => used.has(name)),
    items,
    ...defined({ rolloutRecord }),
  } as const;
  return { ...content, sha256: digestOf(content) };
}

function digestOf(content: object): string {
  return sha256Of(JSON.stringify(content));
}

const named = { cluster: z.string(), namespace: z.string(), kind: z.string(), name: z.string() };
const object = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
const seen = z.looseObject({
  uid: z.string().exactOptional(),
  resourceVersion: z.string().exactOptional(),
  fingerprint: z.string(),
});
const write = {
  object,
  seen,
  differences: z.array(z.looseObject({})),
  takeOver: z.array(z.string()).exactOptional(),
  force: z.boolean(),
};

const shape = z.looseObject({
  apiVersion: z.literal('echelon/v1'),
  kind: z.literal('Plan'),
  revision: z.string(),
  created: z.string(),
  scope: z.looseObject({ environment: z.string().exactOptional(), upstream: z.string().exactOptional() }),
  clusters: z.array(z.looseObject({ name: z.string(), serverUrl: z.string() })),
  items: z.array(
    z.discriminatedUnion('action', [
      z.looseObject({ ...named, action: z.literal('create'), object }),
      z.looseObject({ ...named, ...write, action: z.enum(['update', 'adopt', 'recreate']) }),
      z.looseObject({
        ...named,
        action: z.literal('delete'),
        seen,
        after: z.array(z.looseObject(named)).exactOptional(),
      }),
    ]),
  ),
  rolloutRecord: z.string().exactOptional(),
  sha256: z.string(),
});

/** Reads a saved plan; rejects a file that is not exactly what was saved. */
export function readSavedPlan(text: string, file: string): SavedPlan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badPlan(file, 'it is not JSON');
  }
  const parsed = shape.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw badPlan(file, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  // The value as read: the schema reorders fields, and leaves out a key such as __proto__.
  const { sha256, ...content } = value as Json;
  if (digestOf(content) !== sha256) throw badPlan(file, 'it was changed after it was saved');
  return value as SavedPlan;
}

/** What to observe before a saved plan is applied. */
export function targetsOf({ items }: Pick<SavedPlan, 'items'>): Target[] {
  return [...Map.groupBy(items, ({ cluster }) => cluster)].map(([cluster, own]) => ({
    cluster,
    namespaces: [...new Set(own.map(({ namespace }) => namespace))],
  }));
}

/** The items whose objects changed since the plan was computed. */
export function staleItems({ items }: Pick<SavedPlan, 'items'>, live: readonly LiveCluster[]): PlanItem[] {
  const found = objectsById(live);
  return items.filter((item) => {
    const object = found.get(idText(item));
    if (item.action === 'create') return object !== undefined;
    if (!('seen' in item)) return false;
    return object === undefined || seenOf(object).fingerprint !== item.seen.fingerprint;
  });
}

/** The items with the versions of objects whose content did not change: controllers report a status since then. */
export function withCurrentVersions(items: readonly PlanItem[], live: readonly LiveCluster[]): PlanItem[] {
  const found = objectsById(live);
  return items.map((item) => {
    const object = found.get(idText(item));
    return 'seen' in item && object !== undefined ? { ...item, seen: seenOf(object) } : item;
  });
}

function objectsById(live: readonly LiveCluster[]): ReadonlyMap<string, KubeObject> {
  return new Map(
    live.flatMap(({ cluster, namespaces }) =>
      namespaces.flatMap(({ namespace, objects }) =>
        objects.map(
          (object) => [idText({ cluster, namespace, kind: object.kind, name: object.metadata.name }), object] as const,
        ),
      ),
    ),
  );
}

/** An item that sets a workload to another image than it has. */
export interface ImageWrite {
  readonly item: PlanItem;
  readonly image: string;
}

export function imageWrites(items: readonly PlanItem[], live: readonly LiveCluster[]): ImageWrite[] {
  const found = objectsById(live);
  return items.flatMap((item) => {
    if (!('object' in item)) return [];
    const before = found.get(idText(item));
    const image = firstImage(item.object);
    return image === undefined || image === (before && firstImage(before)) ? [] : [{ item, image }];
  });
}

const NAMED = 5;

/** A plan is applied exactly as approved or not at all: an unreadable namespace or a changed object is an error. */
export function refuseStale(file: string, saved: SavedPlan, live: readonly LiveCluster[]): void {
  const [failure] = live.flatMap(({ failures }) => failures);
  if (failure !== undefined) throw failure.error;
  const stale = staleItems(saved, live);
  if (stale.length === 0) return;
  const names = stale.map((item) => `${placeOf(item)} ${item.kind} ${item.name}`);
  throw stalePlan(file, saved, `these objects changed since then: ${firstOf(names)}`);
}

/** The first few, and how many more. */
export function firstOf(texts: readonly string[], separator = ', '): string {
  const more = texts.length - NAMED;
  return `${texts.slice(0, NAMED).join(separator)}${more > 0 ? ` and ${more} more` : ''}`;
}

export function stalePlan(
  file: string,
  { created }: Pick<SavedPlan, 'created'>,
  why: string,
  hint = 'create a new plan with: echelon manager plan --save FILE, and review it again',
): EchelonError {
  const message = `${file} was saved at ${created}; ${why}. Nothing was applied`;
  return new EchelonError({ code: 'PLAN_STALE', message, hint });
}

function idText({ cluster, namespace, kind, name }: Pick<PlanItem, 'cluster' | 'namespace' | 'kind' | 'name'>): string {
  return `${cluster}/${namespace}/${kind}/${name}`;
}

function badPlan(file: string, why: string): EchelonError {
  return new EchelonError({
    code: 'PLAN_INVALID',
    message: `${file} is not a valid saved plan: ${why}`,
    hint: 'create a new one with: echelon manager plan --save FILE',
  });
}
