import type { ConsoleState } from './state.ts';

export const FEED_PATH = '/events';

/** Names what a page shows: another one after a restart, too. */
export function versionText({ startedAt, version }: Pick<ConsoleState, 'startedAt' | 'version'>): string {
  return `${startedAt}-${version}`;
}
