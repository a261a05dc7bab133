import { count } from '../../base/index.ts';
import type { Problem } from '../../instance/index.ts';
import type { RenderFailure } from '../desired/render.ts';

/** Share of the previously rendered files that may be removed without consent. */
const MAX_REMOVED_SHARE = 0.3;
const ALWAYS_ALLOWED = 3;

export function mayRemoveFiles(removals: number, known: number): boolean {
  return removals <= Math.max(ALWAYS_ALLOWED, known * MAX_REMOVED_SHARE);
}

interface Rendering {
  readonly problems: readonly Problem[];
  readonly failures: readonly RenderFailure[];
}

/** Whether a file that is not rendered may still be declared. */
export function isIncomplete({ problems, failures }: Rendering): boolean {
  return failures.length > 0 || problems.some(({ severity }) => severity === 'error');
}

interface FileCounts {
  readonly objects: number;
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
}

export function renderedText(
  revision: string,
  folder: string,
  { objects, written, unchanged, removed }: FileCounts,
  incomplete: boolean,
): string {
  const why = incomplete ? ' (nothing is removed while there are errors)' : '';
  return (
    `${count(objects, 'object')} of ${revision} in ${folder}: ${written} written, ` +
    `${unchanged} unchanged, ${removed} removed${why}`
  );
}

/** Why files that are no longer rendered stay. */
export function massRemoval(refused: number): {
  readonly message: string;
  readonly code: string;
  readonly hint: string;
} {
  return {
    message: `${refused} files would be removed, more than 30 % of the previous render; nothing was removed`,
    code: 'MASS_REMOVAL',
    hint: 'check the instance and the filters; if this is intended, pass --allow-mass-removal',
  };
}
