import { join } from 'node:path';
import { generateInstance } from '../generate-instance.ts';
import { bareNode, bareParsing, installedIn, started } from '../installed.ts';
import { REPO } from '../part.ts';
import type { Row } from '../row.ts';

const STARTS = 15;
/** Beside what takes longer, and so varies less. */
const LONG_STARTS = 9;
const FILES = 5_000;
const EXAMPLE = join(REPO, 'examples/instance');

/** What a user waits for before anything happens, from the checkout and from an installed package, and with kept answers. */
export function benchStart(folder: string): Row[] {
  const installed = installedIn(folder);
  const large = join(folder, 'large');
  const files = generateInstance(EXAMPLE, large, FILES);
  const start = (what: string, bin: string, args: readonly string[], atMost: number): Row =>
    started(folder, { what, bin, args, atMost, peer: bareNode(), rounds: STARTS });
  return [
    start('echelon --help from the checkout', join(REPO, 'bin/echelon'), ['--help'], 2),
    start('echelon --help installed', installed, ['--help'], 2),
    start(
      'echelon get integrations installed, of the example',
      installed,
      ['get', 'integrations', '--data', EXAMPLE],
      3,
    ),
    start('echelon validate installed, of the example', installed, ['validate', '--data', EXAMPLE], 3),
    started(folder, {
      ...{ what: `echelon validate installed, ${files} unchanged files`, bin: installed },
      ...{ args: ['validate', '--data', large], peer: bareParsing(large), rounds: LONG_STARTS, atMost: 0.3 },
    }),
  ];
}
