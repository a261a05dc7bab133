import { execFile } from 'node:child_process';
import { mapLimited } from '../../../base/index.ts';
import type { Instance } from '../../../instance/index.ts';
import {
  type Caller,
  type Note,
  oldPinNotes,
  type PromotionMetadata,
  pinPlaces,
  readMetadataLine,
} from '../../../promotion/index.ts';

const TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const MOST_PINS = 200;
const AT_ONCE = 4;

/** One reading git command; undefined when git is missing or refuses. */
function git(folder: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = {
      cwd: folder,
      timeout: TIMEOUT_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
      env: { ...process.env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
    };
    execFile('git', ['-c', 'core.fsmonitor=false', ...args], options, (failure, stdout) =>
      resolve(failure === null ? stdout.trim() : undefined),
    );
  });
}

/** Who works in a repository, as git would sign a commit. */
export async function callerIn(folder: string): Promise<Caller> {
  const identity = await git(folder, ['-c', 'user.useConfigOnly=true', 'var', 'GIT_AUTHOR_IDENT']);
  const [, name = '', email = ''] = /^(.*?) ?<([^>]*)>/.exec(identity ?? '') ?? [];
  return { ...(name === '' ? {} : { name }), ...(email === '' ? {} : { email }) };
}

/** Where git knows the files of an instance: a folder of a clone, and a commit unless it is the working tree. */
export interface GitPlace {
  readonly folder: string;
  readonly commit?: string;
}

/** Pins whose line was committed long ago. A line that is not committed yet is new. */
export async function forgottenPins(instance: Instance, { folder, commit }: GitPlace, now: Date): Promise<Note[]> {
  const pins = pinPlaces(instance).slice(0, MOST_PINS);
  const at = commit === undefined ? [] : [commit];
  const dated = await mapLimited(pins, AT_ONCE, async (pin) => {
    const blame = await git(folder, ['blame', '--porcelain', '-L', `${pin.line},${pin.line}`, ...at, '--', pin.file]);
    const seconds = /^committer-time (\d+)$/m.exec(blame ?? '')?.[1];
    return seconds === undefined ? [] : [{ ...pin, since: new Date(Number(seconds) * 1000) }];
  });
  return oldPinNotes(dated.flat(), now);
}

/** The newest commit before a ref, that included, that promoted an upstream. */
export async function lastPromotion(
  folder: string,
  upstream: string,
  ref: string,
): Promise<{ readonly commit: string; readonly metadata: PromotionMetadata } | undefined> {
  const pattern = `^Echelon-Promotion: .*"upstream":"${upstream}"`;
  const text = await git(folder, ['log', '-1', '--format=%H%n%B', `--grep=${pattern}`, '--end-of-options', ref, '--']);
  const [commit = '', ...body] = (text ?? '').split('\n');
  const metadata = readMetadataLine(body.join('\n'));
  return metadata === undefined || commit === '' ? undefined : { commit, metadata };
}
