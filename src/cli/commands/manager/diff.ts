import { paintedDiff } from '../../../base/index.ts';
import { type ComparedText, externalDiff } from '../../../clients/external-diff/index.ts';
import { changesOf, type ObjectChange, objectChange, objectFile } from '../../../manager/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { type Paint, paintFor } from '../../output/colour.ts';
import { document } from '../../output/format.ts';
import { ownSequence } from '../../output/terminal.ts';
import type { FleetFlags, LeaseFlags } from './flags.ts';
import { withManager } from './open.ts';
import { reportFleet } from './plan.ts';

/** Shows what an apply would change, object by object, as a unified diff. Exits 1 when there is a difference, 2 on error. */
export async function diff(io: Io, flags: FleetFlags & LeaseFlags): Promise<number> {
  const fleet = await withManager(io, flags, { readOnly: true }, ({ during }) => during((manager) => manager.plan()));
  const pairs = await Promise.all(changesOf(fleet.plan).map((item) => pairOf(objectChange(item, fleet.live))));
  const external = io.env['KUBECTL_EXTERNAL_DIFF'];
  const output = {
    stdout: (text: string) => io.stdout.write(withColours(text)),
    stderr: (text: string) => io.stderr.write(withColours(text)),
  };
  if (external) await externalDiff(external, pairs, output);
  else await printDiff(io, pairs, paintFor(io.stdout, io.env, flags.color));
  if (reportFleet(io, flags, fleet)) return EXIT.changes;
  return pairs.length === 0 ? EXIT.ok : EXIT.failed;
}

async function pairOf({ item, before, after }: ObjectChange): Promise<ComparedText> {
  const named = after ?? before;
  return {
    file: named === undefined ? item.name : objectFile(item.cluster, item.namespace, named),
    before: before === undefined ? '' : await document('yaml', before),
    after: after === undefined ? '' : await document('yaml', after),
  };
}

const CONTEXT_LINES = 3;

async function printDiff(io: Io, pairs: readonly ComparedText[], paint: Paint): Promise<void> {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff');
  for (const { file, before, after } of pairs) {
    const text = createTwoFilesPatch(
      before === '' ? '/dev/null' : `live/${file}`,
      after === '' ? '/dev/null' : `merged/${file}`,
      before,
      after,
      undefined,
      undefined,
      { context: CONTEXT_LINES, headerOptions: FILE_HEADERS_ONLY },
    );
    io.stdout.write(paintedDiff(text, paint));
  }
}

/** The operator's program may colour, and nothing else. */
function withColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it matches
  return text.replaceAll(/\u001b\[([\d;]*m)/g, (_, code: string) => ownSequence(code));
}
