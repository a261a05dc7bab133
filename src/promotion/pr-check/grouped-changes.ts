import { changeText } from './words.ts';
import type { WorkloadChange } from './workloads.ts';

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
