import { EchelonError } from '../../base/index.ts';
import type { Snapshot } from '../../instance/index.ts';

/** Only files of a folder can be edited; `code` is that of the error. */
export function requireDirectory({ kind, origin }: Pick<Snapshot, 'kind' | 'origin'>, code: string): void {
  if (kind === 'directory') return;
  throw new EchelonError({
    code,
    message: `${origin} is a ${kind}, which cannot be edited`,
    hint: 'pass a checkout of the data repository with --data',
  });
}
