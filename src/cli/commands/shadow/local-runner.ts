import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { defined, EchelonError, messageOf } from '../../../base/index.ts';
import { freePort } from '../../../clients/process/index.ts';
import type { RunnerFlags } from '../../../promotion/index.ts';
import type { ShadowRun, ShadowRunner } from '../../../shadow/index.ts';
import type { Io } from '../../io.ts';
import { programRunner } from '../../program-runner.ts';
import type { PinnedData } from './pinned-data.ts';

/** Where a container finds the data. */
const MOUNT = '/echelon';

/** Runs containers or processes on this machine, each with a folder, a port and a log of its own. */
export function localRunner(
  io: Io,
  flags: RunnerFlags & { readonly logDir: string },
  { place, isLocal, scratch, instance }: Omit<PinnedData, 'changed'>,
): ShadowRunner {
  const runner = programRunner(io, flags, true);
  const data = { ECHELON_DATA: place, ECHELON_DATA_SHA256: instance.snapshot.revision.sha256 };
  const mounted = isLocal ? `${MOUNT}/${basename(place)}` : place;
  const container = {
    variables: { ...data, ECHELON_DATA: mounted },
    args: isLocal ? ['--volume', `${place}:${mounted}:ro,z`] : [],
  };
  return {
    start: async (run, options) => {
      const log = join(flags.logDir, `${run.name}.txt`);
      try {
        const cwd = ownFolder(scratch, run);
        const variables = { ...run.variables, PROMETHEUS_PORT: String(await freePort()) };
        const local = { variables: { ...data, TMPDIR: cwd }, cwd };
        const { tail: _, ...ended } = await runner.start({ ...run, variables, local, container }, { log, ...options });
        const { text, truncated } = read(resolve(io.cwd, log));
        return { ...ended, output: text, log, ...defined({ truncated }) };
      } catch (thrown) {
        if (!(thrown instanceof EchelonError)) throw thrown;
        return { end: 'not-started', output: '', seconds: 0, reason: runner.redact(messageOf(thrown)) };
      }
    },
  };
}

function ownFolder(scratch: string, { name }: ShadowRun): string {
  const folder = join(scratch, 'runs', name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** A line or a log that was cut may hide a difference. */
function read(file: string): { readonly text: string; readonly truncated?: true } {
  const text = readFileSync(file, 'utf8');
  return /… (?:line truncated|log truncated at [^\n]+)\n/.test(text) ? { text, truncated: true } : { text };
}
