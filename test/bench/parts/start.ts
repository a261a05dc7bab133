import { join } from 'node:path';
import { bareNode, installedIn, started } from '../installed.ts';
import { REPO } from '../part.ts';
import type { Row } from '../row.ts';

const STARTS = 15;
const EXAMPLE = join(REPO, 'examples/instance');

/** What a user waits for before anything happens, from the checkout and from an installed package. */
export function benchStart(folder: string): Row[] {
  const installed = installedIn(folder);
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
  ];
}
