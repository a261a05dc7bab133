import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { EchelonError, isImage, Secrets, secretValues, shellWords } from '../../../base/index.ts';
import { type Command, containerCommand, runCommand } from '../../../clients/runner/index.ts';
import {
  type PlannedRun,
  type PrCheckPorts,
  passedVariables,
  type ReadyRun,
  runEnvironment,
} from '../../../promotion/index.ts';
import type { Io } from '../../io.ts';
import type { PrCheckFlags } from './flags.ts';

interface Runner {
  readonly flags: PrCheckFlags;
  /** Variables from `--env`. */
  readonly passed: Readonly<Record<string, string>>;
  /** Distinguishes this check's containers from others. */
  readonly checkId: string;
}

/** Runs with the engine or program from the flags; secrets in the environment are redacted in logs and output. */
export function runnerOf(io: Io, flags: PrCheckFlags): PrCheckPorts['runner'] {
  const passed = passedVariables(flags.env ?? [], io.env);
  const runner = { flags, passed, checkId: randomBytes(4).toString('hex') };
  const secrets = new Secrets();
  if (flags.run === true) {
    for (const value of [...secretValues(io.env), ...secretValues(passed)]) {
      secrets.add(value);
      io.onSecret?.(value);
    }
  }
  const redact = (text: string): string => secrets.redact(text);
  return {
    redact,
    run: (ready, { log, ...options }) =>
      runCommand(commandOf(io, runner, ready), { ...options, log: resolve(io.cwd, log), redact }),
  };
}

/** The command of a run. Arguments are passed separately; a shell gets them as `"$@"`, and only with `--shell`. */
function commandOf({ env, cwd }: Io, { flags, passed, checkId }: Runner, ready: ReadyRun): Command {
  const { run, words, variables, base, head } = ready;
  if (flags.runner === 'process') {
    return {
      ...localCommand(flags, words),
      env: runEnvironment(env, passed, { ...variables, ECHELON_DATA: head, ECHELON_BASE_DATA: base }),
      cwd,
    };
  }
  if (!isImage(run.image)) throw badImage(run);
  return containerCommand({
    engine: flags.runner,
    image: run.image,
    name: `echelon-${checkId}-${run.name}`,
    variables,
    passed,
    engineArgs: flags.engineArg ?? [],
    args: flags.command === undefined ? [] : [...shellWords(flags.command, '--command'), ...words],
    env,
    cwd,
  });
}

function localCommand(flags: PrCheckFlags, words: readonly string[]): Pick<Command, 'file' | 'args'> {
  const text = flags.command ?? '';
  if (flags.shell === true) return { file: '/bin/sh', args: ['-c', text, 'sh', ...words] };
  const [file = '', ...args] = shellWords(text, '--command');
  return { file, args: [...args, ...words] };
}

function badImage({ image, integration }: PlannedRun): EchelonError {
  return new EchelonError({
    code: 'IMAGE_INVALID',
    message: `${integration}: ${JSON.stringify(image)} is not a valid image reference`,
    hint: 'check RECONCILE_IMAGE and RECONCILE_IMAGE_TAG in .env, --image and imageRef',
  });
}
