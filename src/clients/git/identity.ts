import { runGit } from './run-git.ts';

interface Identity {
  readonly name?: string;
  readonly email?: string;
}

/** Who works in a folder, as git would sign a commit; empty where it is not configured. */
export async function identityIn(folder: string): Promise<Identity> {
  const text = await askedIdentity(folder);
  const [, name = '', email = ''] = /^(.*?) ?<([^>]*)>/.exec(text) ?? [];
  return { ...(name === '' ? {} : { name }), ...(email === '' ? {} : { email }) };
}

async function askedIdentity(folder: string): Promise<string> {
  try {
    const answer = await runGit(folder, ['-c', 'user.useConfigOnly=true', 'var', 'GIT_AUTHOR_IDENT']);
    return answer.code === 0 ? answer.stdout.toString('utf8') : '';
  } catch {
    return '';
  }
}
