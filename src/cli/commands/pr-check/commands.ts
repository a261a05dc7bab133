import { defined, EchelonError } from '../../../base/index.ts';
import { type Command, containerCommand, isImage } from '../../../clients/runner/index.ts';
import { imageRefParts, type PlannedRun } from '../../../promotion/index.ts';
import { shellWords } from '../../../runtime/index.ts';
import type { Io } from '../../io.ts';
import type { PrCheckFlags } from './flags.ts';
import type { RunImage } from './images.ts';

export interface RunPlace {
  /** Folders of the data, for commands on this machine. */
  readonly base: string;
  readonly head: string;
  /** Tells the containers of this check from those of others. */
  readonly checkId: string;
}

/** The command of a run. Arguments are given one by one; a shell sees them only as `"$@"`, and only when asked for. */
export function commandOf(io: Io, flags: PrCheckFlags, run: PlannedRun, image: RunImage, place: RunPlace): Command {
  const words = [...shellWords(run.command, `pr_check.cmd of ${run.integration}`), ...run.args];
  refuseOptions(run, words);
  const variables = variablesOf(run, words, image);
  const { cwd } = io;
  if (flags.runner === 'process') {
    const env = { ...io.env, ...variables, ECHELON_DATA: place.head, ECHELON_BASE_DATA: place.base };
    return { ...localCommand(flags, words), env, cwd };
  }
  if (!isImage(run.image)) throw badImage(run);
  return containerCommand({
    engine: flags.runner,
    image: run.image,
    name: `echelon-${place.checkId}-${run.name}`,
    variables,
    engineArgs: flags.engineArg ?? [],
    args: flags.command === undefined ? [] : [...shellWords(flags.command, '--command'), ...words],
    env: io.env,
    cwd,
  });
}

/** The data under check must not be able to make a dry run a real one. */
function refuseOptions({ integration }: PlannedRun, words: readonly string[]): void {
  const [name = ''] = words;
  if (/^[A-Za-z0-9]/.test(name) && !words.some((word) => /^--no-dry-run(?:=|$)/.test(word))) return;
  throw new EchelonError({
    code: 'CHECK_COMMAND_INVALID',
    message: `pr_check.cmd of ${integration} ${name === '' ? 'is empty' : 'begins with an option, or turns dry-run off'}`,
    hint: 'begin it with the name of the sub-command, and leave --no-dry-run out',
  });
}

function localCommand(flags: PrCheckFlags, words: readonly string[]): Pick<Command, 'file' | 'args'> {
  const text = flags.command ?? '';
  if (flags.shell === true) return { file: '/bin/sh', args: ['-c', text, 'sh', ...words] };
  const [file = '', ...args] = shellWords(text, '--command');
  return { file, args: [...args, ...words] };
}

/** What pods get, so that an image or a command needs to know nothing of checks. */
function variablesOf(run: PlannedRun, words: readonly string[], image: RunImage): Record<string, string> {
  const [name = '', ...args] = words;
  const { tag, digest } = imageRefParts(image.tag);
  return {
    ...run.environment,
    INTEGRATION_NAME: name,
    INTEGRATION_EXTRA_ARGS: args.map(quoted).join(' '),
    DRY_RUN: '--dry-run',
    MANAGER_DRY_RUN: '--dry-run',
    RUN_ONCE: 'true',
    IMAGE: image.repository,
    IMAGE_TAG: tag,
    ...defined({ IMAGE_DIGEST: digest }),
  };
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}

function badImage({ image, integration }: PlannedRun): EchelonError {
  return new EchelonError({
    code: 'IMAGE_INVALID',
    message: `${JSON.stringify(image)}, which ${integration} would run with, does not name an image`,
    hint: 'check RECONCILE_IMAGE and RECONCILE_IMAGE_TAG of .env, --image and imageRef',
  });
}
