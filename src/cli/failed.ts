import { EchelonError } from '../base/index.ts';
import { EXIT } from './exit-codes.ts';
import type { Io } from './io.ts';
import { paintFor } from './output/colour.ts';
import { showError } from './output/show-error.ts';
import { firstWord } from './program.ts';
import { redacting } from './redacting.ts';

/** Reports what a command threw, and returns its exit code. */
export function failed(thrown: unknown, args: readonly string[], given: Io): number {
  // Without a command the output is still unfiltered.
  const io = firstWord(args) === undefined ? redacting(given) : given;
  showError(io, thrown, {
    paint: paintFor(io.stderr, io.env, args.includes('--no-color') ? false : undefined),
    debug: args.includes('--debug'),
  });
  if (thrown instanceof EchelonError && thrown.code === 'FLAG_INVALID') return EXIT.usage;
  // There, 1 says that the images differ.
  return firstWord(args) === 'shadow' ? EXIT.notCompared : EXIT.failed;
}
