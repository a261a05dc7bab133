import { runGit } from './run-git.ts';

const UNCOMMITTED = /^0+$/;

/** The commit that last changed a line. */
interface LineChange {
  readonly at: Date;
  /** The name of its author. */
  readonly author: string;
}

/**
 * Who last changed lines of files below a folder, and when, as they are in a commit or, without one, in the work tree. Nothing for a line that is not committed, a
 * file that git does not know, or outside a repository. Each file is asked for once.
 */
export function lineChanges(
  folder: string,
  commit?: string,
): (file: string, line: number) => Promise<LineChange | undefined> {
  const files = new Map<string, Promise<ReadonlyMap<number, LineChange>>>();
  return async (file, line) => {
    const known = files.get(file) ?? blame(folder, file, commit);
    files.set(file, known);
    return (await known).get(line);
  };
}

/** The same, only when. */
export function lineDates(folder: string, commit?: string): (file: string, line: number) => Promise<Date | undefined> {
  const changes = lineChanges(folder, commit);
  return async (file, line) => (await changes(file, line))?.at;
}

async function blame(
  folder: string,
  file: string,
  commit: string | undefined,
): Promise<ReadonlyMap<number, LineChange>> {
  try {
    const { code, stdout } = await runGit(folder, [
      'blame',
      '--porcelain',
      ...(commit === undefined ? [] : [commit]),
      '--',
      file,
    ]);
    return code === 0 ? parseBlame(stdout.toString('utf8')) : new Map();
  } catch {
    return new Map();
  }
}

/** Git reports a commit behind its first line only. */
function parseBlame(text: string): Map<number, LineChange> {
  const dates = new Map<string, Date>();
  const authors = new Map<string, string>();
  const commits = new Map<number, string>();
  let commit = '';
  for (const line of text.split('\n')) {
    const [, sha, number] = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(line) ?? [];
    const author = /^author (.*)$/.exec(line)?.[1];
    const seconds = /^committer-time (\d+)$/.exec(line)?.[1];
    if (sha !== undefined) {
      commit = sha;
      commits.set(Number(number), sha);
    } else if (author !== undefined) authors.set(commit, author);
    else if (seconds !== undefined) dates.set(commit, new Date(Number(seconds) * 1000));
  }
  return new Map(
    [...commits].flatMap(([line, sha]) => {
      const date = UNCOMMITTED.test(sha) ? undefined : dates.get(sha);
      return date === undefined ? [] : [[line, { at: date, author: authors.get(sha) ?? '' }] as const];
    }),
  );
}
