import type { RolloutRecord, ScopeRecord } from '../record/record.ts';
import type { ShadowRecord } from '../record/shadow-record.ts';
import { shadowAfter } from './shadows.ts';

/** The record with what a comparison of a shard found; undefined where it does not know the shard. */
export function withShadow(
  record: RolloutRecord,
  { environment, ids }: { readonly environment: string; readonly ids: readonly string[] },
  found: ShadowRecord,
): RolloutRecord | undefined {
  const scopes = new Map(record.scopes);
  let isKnown = false;
  for (const [key, scope] of record.scopes) {
    const id = ids.find((one) => scope.environment === environment && scope.shards.has(one));
    if (id === undefined) continue;
    scopes.set(key, inScope(scope, id, found));
    isKnown = true;
  }
  return isKnown ? { ...record, scopes } : undefined;
}

function inScope(scope: ScopeRecord, id: string, found: ShadowRecord): ScopeRecord {
  const shard = scope.shards.get(id);
  const shadow = shadowAfter({ shadow: found, seen: false }, shard, found.image);
  if (shard === undefined || shadow === undefined) return scope;
  return { ...scope, shards: new Map([...scope.shards, [id, { ...shard, shadow }]]) };
}
