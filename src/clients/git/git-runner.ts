import { gitFailed } from './git-error.ts';
import { type GitAnswer, type GitRun, runGit } from './run-git.ts';

/** Git in one repository. */
export interface Git {
  readonly root: string;
  /** Of this work tree: where merges and rebases are kept. */
  readonly gitDir: string;
  /** Answers that do not change while a repository is open. */
  readonly known: KnownAnswers;
  /** The answer, success or not. */
  run(args: readonly string[], run?: GitRun): Promise<GitAnswer>;
  /** The output of a command that has to succeed. */
  bytes(args: readonly string[], run?: GitRun): Promise<Buffer>;
  /** The same as text, without the last line break. */
  text(args: readonly string[], run?: GitRun): Promise<string>;
}

interface KnownAnswers {
  /** Whole shas that are commits of this clone. */
  readonly commits: Set<string>;
  shallow?: Promise<boolean>;
}

export function gitIn(root: string, gitDir: string): Git {
  const run: Git['run'] = (args, options) => runGit(root, args, options);
  const bytes: Git['bytes'] = async (args, options) => {
    const answer = await run(args, options);
    if (answer.code === 0) return answer.stdout;
    throw gitFailed(`git ${args[0]} in ${root}`, answer);
  };
  const text: Git['text'] = async (args, options) => (await bytes(args, options)).toString('utf8').replace(/\n$/, '');
  return { root, gitDir, known: { commits: new Set() }, run, bytes, text };
}
