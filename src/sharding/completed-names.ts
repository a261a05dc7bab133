import { INSTANCE_LISTINGS, type Instance } from '../instance/index.ts';
import { expandShards } from './expand-shards.ts';

/** What a word of a command line names; the listings of an instance, and shards. */
export type NameKind = keyof typeof INSTANCE_LISTINGS | 'shards';

/** The names that an instance has; those of shards only of the integrations that the command line names, if it names any. */
export function completedNames(instance: Instance, kind: NameKind, words: readonly string[]): string[] {
  if (kind !== 'shards') return [...new Set(INSTANCE_LISTINGS[kind](instance, {}).names())];
  const named = instance.integrations.filter(({ name }) => words.includes(name));
  const shards = (named.length === 0 ? instance.integrations : named).flatMap((integration) =>
    integration.managed.flatMap((entry) => expandShards(instance, integration, entry).shards.map(({ name }) => name)),
  );
  return [...new Set(shards)];
}
