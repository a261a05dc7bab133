import { resolve } from 'node:path';
import { EchelonError, shellWords } from '../../base/index.ts';

export type RunnerName = 'podman' | 'docker' | 'process';

/** How integrations are run on this machine. */
export interface RunnerFlags {
  readonly runner: RunnerName;
  readonly command?: string;
  readonly shell?: boolean;
  /** `NAME` or `NAME=VALUE`. */
  readonly env?: readonly string[];
  readonly engineArg?: readonly string[];
}

/** Throws FLAG_INVALID where the flags of a runner do not fit. */
export function requireCommand({ runner, command, shell }: RunnerFlags): void {
  const fault = (message: string, hint: string): EchelonError =>
    new EchelonError({ code: 'FLAG_INVALID', message, hint });
  if (runner === 'process' && (command ?? '').trim() === '') {
    throw fault(
      '--runner process requires --command',
      "pass the program, such as --command 'qontract-reconcile --dry-run'",
    );
  }
  if (/(?:^|[\s'"])--no-dry-run\b/.test(command ?? ''))
    throw fault('--command disables the dry run', 'remove --no-dry-run from --command');
  if (shell === true && runner !== 'process') throw fault('--shell requires --runner process', 'omit --shell');
}

/** A path of a program is one from the current folder, wherever the program runs. */
export function localProgram(
  cwd: string,
  flags: RunnerFlags,
  words: readonly string[],
): { readonly file: string; readonly args: readonly string[] } {
  const text = flags.command ?? '';
  if (flags.shell === true) return { file: '/bin/sh', args: ['-c', text, 'sh', ...words] };
  const [file = '', ...args] = shellWords(text, '--command');
  return { file: file.includes('/') ? resolve(cwd, file) : file, args: [...args, ...words] };
}

export function runImageFault(image: string, integration: string): EchelonError {
  return new EchelonError({
    code: 'IMAGE_INVALID',
    message: `${integration}: ${JSON.stringify(image)} is not a valid image reference`,
    hint: 'check RECONCILE_IMAGE and RECONCILE_IMAGE_TAG in .env, --image and imageRef',
  });
}
