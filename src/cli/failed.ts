import { EchelonError } from '../base/index.ts';
import { EXIT } from './exit-codes.ts';
import type { Io } from './io.ts';
import { paintFor } from './output/colour.ts';
import { showError } from './output/show-error.ts';

/** Reports what a command threw, and returns its exit code. */
export function failed(thrown: unknown, args: readonly string[], io: Io): number {
  showError(io, thrown, {
    paint: paintFor(io.stderr, io.env, args.includes('--no-color') ? false : undefined),
    debug: args.includes('--debug'),
  });
  return thrown instanceof EchelonError && thrown.code === 'FLAG_INVALID' ? EXIT.usage : EXIT.failed;
}
