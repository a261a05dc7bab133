import type { ShardUse } from './shard-uses.ts';

/** The option that excludes a shard from a dry run, by the option that selects it. */
export const EXCLUDE: Readonly<Record<string, string>> = {
  '--account-name': '--exclude-accounts',
  '--cluster-name': '--exclude-cluster',
  '--org-id': '--exclude-org-id',
};

/** Whether a command already selects or excludes shards. */
export function divides(command: string, uses: readonly ShardUse[]): boolean {
  const flags = new Set(uses.flatMap(({ unit }) => (unit === undefined ? [] : [unit.flag, EXCLUDE[unit.flag] ?? ''])));
  return command.split(/\s+/).some((word) => flags.has(word.split('=')[0] ?? ''));
}
