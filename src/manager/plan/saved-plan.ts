import * as z from 'zod';
import { EchelonError, type Json, sha256Of } from '../../base/index.ts';
import type { ClusterAccess } from '../../instance/index.ts';
import { type FleetPlan, placeOf } from './fleet-plan.ts';
import type { LiveCluster, Target } from './observe.ts';
import { type PlanItem, seenOf } from './plan.ts';

/** A plan in a file, with how to reach its clusters; where a token is kept, never the token. */
export interface SavedPlan {
  readonly apiVersion: 'echelon/v1';
  readonly kind: 'Plan';
  readonly revision: string;
  readonly created: string;
  readonly scope: FleetPlan['scope'];
  readonly clusters: readonly ClusterAccess[];
  readonly items: readonly PlanItem[];
  /** Of everything above, so that a file that was cut or edited is known. */
  readonly sha256: string;
}

/** What is not carried out is not saved. */
export function savedPlan(
  plan: FleetPlan,
  items: readonly PlanItem[],
  clusters: readonly ClusterAccess[],
  created: Date,
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
  } as const;
  return { ...content, sha256: digestOf(content) };
}

function digestOf(content: object): string {
  return sha256Of(JSON.stringify(content));
}

const shape = z.looseObject({
  apiVersion: z.literal('echelon/v1'),
  kind: z.literal('Plan'),
  revision: z.string(),
  created: z.string(),
  clusters: z.array(z.looseObject({ name: z.string(), serverUrl: z.string() })),
  items: z.array(
    z.looseObject({
      action: z.enum(['create', 'update', 'adopt', 'recreate', 'delete']),
      cluster: z.string(),
      namespace: z.string(),
      kind: z.string(),
      name: z.string(),
    }),
  ),
  sha256: z.string(),
});

/** Reads a saved plan; a file that is not exactly what was saved is refused. */
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
  // Of the text as it is read: the schema puts its own fields first.
  const { sha256, ...content } = value as Json;
  if (digestOf(content) !== sha256) throw badPlan(file, 'it was changed since it was saved');
  return parsed.data as unknown as SavedPlan;
}

/** What to look at before a saved plan is carried out. */
export function targetsOf({ items }: Pick<SavedPlan, 'items'>): Target[] {
  return [...Map.groupBy(items, ({ cluster }) => cluster)].map(([cluster, own]) => ({
    cluster,
    namespaces: [...new Set(own.map(({ namespace }) => namespace))],
  }));
}

/** The items whose objects are no longer what they were when the plan was made. */
export function staleItems({ items }: Pick<SavedPlan, 'items'>, live: readonly LiveCluster[]): PlanItem[] {
  const found = new Map(
    live.flatMap(({ cluster, namespaces }) =>
      namespaces.flatMap(({ namespace, objects }) =>
        objects.map((object) => [
          idText({ cluster, namespace, kind: object.kind, name: object.metadata.name }),
          object,
        ]),
      ),
    ),
  );
  return items.filter((item) => {
    const object = found.get(idText(item));
    if (item.action === 'create') return object !== undefined;
    if (!('seen' in item)) return false;
    return object === undefined || seenOf(object).fingerprint !== item.seen.fingerprint;
  });
}

const NAMED = 5;

/** A plan is carried out as it was approved, or not at all: a place that cannot be observed, or a change, is an error. */
export function refuseStale(file: string, saved: SavedPlan, live: readonly LiveCluster[]): void {
  const [failure] = live.flatMap(({ failures }) => failures);
  if (failure !== undefined) throw failure.error;
  const stale = staleItems(saved, live);
  if (stale.length === 0) return;
  const names = stale.slice(0, NAMED).map((item) => `${placeOf(item)} ${item.kind} ${item.name}`);
  const more = stale.length - names.length;
  throw new EchelonError({
    code: 'PLAN_STALE',
    message: `${file} was made at ${saved.created}; since then these changed: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}. Nothing was applied`,
    hint: 'make a new plan with echelon manager plan --save FILE, and look at it again',
  });
}

function idText({ cluster, namespace, kind, name }: Pick<PlanItem, 'cluster' | 'namespace' | 'kind' | 'name'>): string {
  return `${cluster}/${namespace}/${kind}/${name}`;
}

function badPlan(file: string, why: string): EchelonError {
  return new EchelonError({
    code: 'PLAN_INVALID',
    message: `${file} is not a plan that Echelon saved: ${why}`,
    hint: 'make a new one with echelon manager plan --save FILE',
  });
}
