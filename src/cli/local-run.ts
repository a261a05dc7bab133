import { resolve } from 'node:path';
import { EchelonError, shellWords } from '../base/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Variables = Readonly<Record<string, string>>;

/** What programs need to start, to speak the user's language and to reach the network. None is a credential. */
const ALLOWED = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TMP', 'TEMP'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'GIT_SSL_CAINFO'],
  ...['PYTHONUNBUFFERED', 'VIRTUAL_ENV'],
]);
const LOCALE = /^LC_[A-Z]+$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The variables of `--env NAME[=VALUE]`; a name without a value has that of the caller. Of equal names the last counts. */
export function passedVariables(flags: readonly string[], caller: Environment): Record<string, string> {
  return Object.fromEntries(
    flags.map((text) => {
      const at = text.indexOf('=');
      const name = at === -1 ? text : text.slice(0, at);
      if (!NAME.test(name)) throw badFlag(`--env ${JSON.stringify(name)} is not a valid variable name`);
      return [name, at === -1 ? callersValue(name, caller) : text.slice(at + 1)];
    }),
  );
}

/**
 * The environment of a local run, which executes what a change under review defines: harmless variables of the caller,
 * those passed, and those of the check, which win so that a dry run stays one.
 */
export function runEnvironment(caller: Environment, passed: Variables, ofCheck: Variables): Record<string, string> {
  const kept = Object.entries(caller).flatMap(([name, value]) =>
    value !== undefined && (ALLOWED.has(name) || LOCALE.test(name)) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(kept), ...passed, ...ofCheck };
}

function callersValue(name: string, caller: Environment): string {
  const value = Object.hasOwn(caller, name) ? caller[name] : undefined;
  if (value === undefined) throw badFlag(`--env ${name}: the variable is not set`);
  return value;
}

function badFlag(message: string): EchelonError {
  return new EchelonError({
    code: 'FLAG_INVALID',
    message,
    hint: 'pass --env NAME=VALUE, or export NAME and pass --env NAME',
  });
}

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
