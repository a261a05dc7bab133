import type { Note, UpstreamHistory } from '../ports.ts';
import type { Range } from './ranges.ts';

/** Files of a reconciler that depend on the data schemas. */
const FOLLOWS_SCHEMAS =
  /(?:^|\/)(?:introspection\.json|gql_definitions\/|graphql-schemas\/|schemas?\/)|schemas?\.(?:ya?ml|json|graphql)$/i;
const MOST_NAMED = 3;

export interface SchemasState {
  /** What `.env` pins. */
  readonly pinned: string;
  readonly newest: string;
  readonly behind: number;
}

/** New code may need newer schemas, which are promoted first in a separate promotion. */
export async function schemasNotes(
  ranges: readonly Range[],
  history: UpstreamHistory,
  state: SchemasState | undefined,
): Promise<Note[]> {
  const touched = await Promise.all(
    ranges
      .filter(({ relation }) => relation === 'ahead')
      .map(async ({ from, to }) => (await history.changedPaths?.(from, to)) ?? []),
  );
  const paths = [...new Set(touched.flat().filter((path) => FOLLOWS_SCHEMAS.test(path)))];
  const isBehind = state !== undefined && state.behind > 0;
  const notes: Note[] = [];
  if (isBehind) {
    notes.push({
      rule: 'promote-schemas-first',
      message: `promote schemas first: SCHEMAS_IMAGE_TAG ${state.pinned} is ${state.behind} behind ${state.newest.slice(0, 7)}`,
      hint: 'run echelon promote schemas, merge that, then promote this',
    });
  }
  if (paths.length > 0 && (state === undefined || isBehind)) {
    const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : '';
    notes.push({
      rule: 'promote-schemas-first',
      message: `the commits in this range change files that depend on the schemas (${paths.slice(0, MOST_NAMED).join(', ')}${more}): they may need newer schemas`,
      hint: 'promote schemas first, or check with --schemas-clone that SCHEMAS_IMAGE_TAG is new enough',
    });
  }
  return notes;
}
