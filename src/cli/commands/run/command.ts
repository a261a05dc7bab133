import { basename } from 'node:path';
import { streamCommand } from '../../../clients/runner/index.ts';
import { commandIntegration, hostIntegration, type RunFlags } from '../../../runtime/index.ts';
import type { Io } from '../../io.ts';

export interface RunCommandFlags extends RunFlags {
  readonly name?: string;
}

const GRACE_SECONDS = 20;
const TIMEOUT_SECONDS = 30 * 60;
/** For the loop to note the end of a run that was killed. */
const MARGIN_SECONDS = 5;

/** Runs a command as an integration until it is interrupted. */
export function runAnyCommand(io: Io, words: readonly string[], flags: RunCommandFlags): Promise<number> {
  const { grace = GRACE_SECONDS } = flags;
  const name = flags.name ?? (io.env['INTEGRATION_NAME'] || basename(words[0] ?? ''));
  const timeout = io.env['RUN_TIMEOUT_SECS'] ? {} : { timeout: TIMEOUT_SECONDS };
  const limits = { ...timeout, ...flags, grace: grace + MARGIN_SECONDS };
  return hostIntegration(io, name, limits, async (runner) =>
    commandIntegration(runner, words, ({ words: [file = '', ...args], ...run }) =>
      streamCommand({ file, args, env: run.env, cwd: io.cwd }, { ...run, graceMs: grace * 1000 }),
    ),
  );
}
