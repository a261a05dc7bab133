import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EchelonError, messageOf } from '../../../base/index.ts';
import { scratchFolder } from '../../../clients/files/index.ts';
import { changesOf, type ObjectChange, objectChange, objectFile } from '../../../manager/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { type Paint, paintFor } from '../../output/colour.ts';
import { paintedDiff } from '../../output/diff.ts';
import { document } from '../../output/format.ts';
import { ownSequence } from '../../output/terminal.ts';
import type { FleetFlags, LeaseFlags } from './flags.ts';
import { withManager } from './open.ts';
import { reportFleet } from './plan.ts';

/** An object before and after the apply, as text; empty if it does not exist. */
interface Pair {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** Shows what an apply would change, object by object, as a unified diff. Exits 1 when there is a difference, 2 on error. */
export async function diff(io: Io, flags: FleetFlags & LeaseFlags): Promise<number> {
  const fleet = await withManager(io, flags, { readOnly: true }, ({ during }) => during((manager) => manager.plan()));
  const pairs = await Promise.all(changesOf(fleet.plan).map((item) => pairOf(objectChange(item, fleet.live))));
  const external = io.env['KUBECTL_EXTERNAL_DIFF'];
  if (external) await externalDiff(io, external, pairs);
  else await printDiff(io, pairs, paintFor(io.stdout, io.env, flags.color));
  if (reportFleet(io, flags, fleet)) return EXIT.changes;
  return pairs.length === 0 ? EXIT.ok : EXIT.failed;
}

async function pairOf({ item, before, after }: ObjectChange): Promise<Pair> {
  const named = after ?? before;
  return {
    file: named === undefined ? item.name : objectFile(item.cluster, item.namespace, named),
    before: before === undefined ? '' : await document('yaml', before),
    after: after === undefined ? '' : await document('yaml', after),
  };
}

const CONTEXT_LINES = 3;

async function printDiff(io: Io, pairs: readonly Pair[], paint: Paint): Promise<void> {
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

/** Runs the KUBECTL_EXTERNAL_DIFF program with two folders, as kubectl does; words after its name are arguments. */
async function externalDiff(io: Io, program: string, pairs: readonly Pair[]): Promise<void> {
  const root = scratchFolder('diff');
  try {
    const [live, merged] = [join(root, 'LIVE'), join(root, 'MERGED')];
    for (const folder of [live, merged]) mkdirSync(folder);
    for (const { file, before, after } of pairs) {
      if (before !== '') write(join(live, file), before);
      if (after !== '') write(join(merged, file), after);
    }
    await runProgram(io, program, [live, merged]);
  } finally {
    rmSync(root, { recursive: true });
  }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o600 });
}

/** Exit code 1 means differences; anything higher is a failure. */
function runProgram(io: Io, program: string, folders: readonly string[]): Promise<void> {
  const [command = '', ...args] = program.split(/\s+/).filter((word) => word !== '');
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args, ...folders], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk: Buffer) => io.stdout.write(withColours(chunk.toString())));
    child.stderr.on('data', (chunk: Buffer) => io.stderr.write(withColours(chunk.toString())));
    child.on('error', (error) => reject(diffFailed(command, messageOf(error))));
    child.on('close', (code) =>
      code === 0 || code === 1 ? resolve() : reject(diffFailed(command, `exit code ${code}`)),
    );
  });
}

/** The operator's program may colour, and nothing else. */
function withColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it matches
  return text.replaceAll(/\u001b\[([\d;]*m)/g, (_, code: string) => ownSequence(code));
}

function diffFailed(command: string, why: string): EchelonError {
  return new EchelonError({
    code: 'DIFF_FAILED',
    message: `KUBECTL_EXTERNAL_DIFF program ${command} failed: ${why}`,
    hint: 'set KUBECTL_EXTERNAL_DIFF to a program that compares two folders, or unset it',
  });
}
