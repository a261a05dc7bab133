import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { isImage, redactShapes, Secrets, secretValues, shellWords } from '../base/index.ts';
import { type Command, containerCommand, runCommand } from '../clients/process/index.ts';
import type { Io } from './io.ts';
import { localProgram, passedVariables, type RunnerFlags, runEnvironment, runImageFault } from './local-run.ts';

/** A run of an integration. */
export interface ProgramRun {
  readonly integration: string;
  readonly image: string;
  /** The name of the container. */
  readonly name: string;
  /** The subcommand and its arguments. */
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Further variables and the folder of a local process. */
  readonly local: { readonly variables: Readonly<Record<string, string>>; readonly cwd?: string };
  /** Further arguments and variables of a container. */
  readonly container?: { readonly args: readonly string[]; readonly variables: Readonly<Record<string, string>> };
}

interface StartOptions {
  readonly log: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface ProgramRunner {
  start(run: ProgramRun, options: StartOptions): ReturnType<typeof runCommand>;
  redact(text: string): string;
}

/** Runs with the engine or program from the flags; secrets that `runs` may print are redacted in logs and output. */
export function programRunner(io: Io, flags: RunnerFlags, runs: boolean): ProgramRunner {
  const passed = passedVariables(flags.env ?? [], io.env);
  const id = randomBytes(4).toString('hex');
  const secrets = new Secrets();
  for (const value of runs ? [...secretValues(io.env), ...secretValues(passed)] : []) {
    secrets.add(value);
    io.onSecret?.(value);
  }
  const redact = (text: string): string => redactShapes(secrets.redact(text));
  return {
    redact,
    start: (run, { log, ...options }) =>
      runCommand(commandOf(io, flags, { ...run, name: `echelon-${id}-${run.name}` }, passed), {
        ...options,
        log: resolve(io.cwd, log),
        redact,
      }),
  };
}

/** The command of a run. Arguments are passed separately; a shell gets them as `"$@"`, and only with `--shell`. */
function commandOf(
  { env, cwd }: Io,
  flags: RunnerFlags,
  { integration, image, name, words, variables, local, container }: ProgramRun,
  passed: Readonly<Record<string, string>>,
): Command {
  if (flags.runner === 'process') {
    return {
      ...localProgram(cwd, flags, words),
      env: runEnvironment(env, passed, { ...variables, ...local.variables }),
      cwd: local.cwd ?? cwd,
    };
  }
  if (!isImage(image)) throw runImageFault(image, integration);
  return containerCommand({
    engine: flags.runner,
    image,
    name,
    variables: { ...variables, ...container?.variables },
    passed,
    engineArgs: [...(container?.args ?? []), ...(flags.engineArg ?? [])],
    args: flags.command === undefined ? [] : [...shellWords(flags.command, '--command'), ...words],
    env,
    cwd,
  });
}
