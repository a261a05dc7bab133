import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FolderImage, imageOf } from './folder-image.ts';
import { type GitSandbox, gitSandbox } from './git-sandbox.ts';
import { type Ran, runCli } from './run-cli.ts';
import { EXAMPLE_INSTANCE } from './shared.ts';

/** What the example instance runs, as its files have it. */
const EXAMPLE_PRODUCTION = '8c41f7e00cea9a802e72220cedf295ca087bbe5f';
const EXAMPLE_STAGE = '31e8409a1b1d33481640756ec1b842bd2b113333';
const EXAMPLE_SCHEMAS = '27a9d1b';

/** The digest that tests name for the new image. */
export const DIGEST = `sha256:${'ab'.repeat(32)}`;

export interface PromotionWorld {
  readonly sandbox: GitSandbox;
  /** Clone of `origin.git` with the example instance, and a promotion.yml. */
  readonly instance: string;
  readonly upstream: string;
  readonly schemas: string;
  /** Of the upstream, oldest first: production is at the first, stage at the second. */
  readonly commits: readonly string[];
  readonly schemasCommits: readonly string[];
  text(file: string): string;
  write(file: string, content: string): void;
  /** Replaces a text that stands in the file. */
  replace(file: string, found: string, by: string): void;
  /** `promote` with the clone of the upstream and the digest, without colour. */
  promote(verb: string, ...args: readonly string[]): Promise<Ran>;
  /** `promote` with nothing but what is given. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  git(...args: readonly string[]): string;
  dispose(): void;
}

interface Made {
  readonly image: FolderImage;
  readonly root: string;
  readonly commits: readonly string[];
  readonly schemasCommits: readonly string[];
}

/** The world as the first test of a file made it. */
let made: Made | undefined;

/** Repositories of an upstream, its schemas and an instance whose values are commits of them, a clone of a bare origin; real git. */
export async function promotionWorld(): Promise<PromotionWorld> {
  const sandbox = gitSandbox();
  if (made === undefined) made = await makeWorld(sandbox);
  else {
    const { image, root } = made;
    image.writeTo(sandbox.root, (path, text) =>
      path === join('instance', '.git', 'config') ? text.replaceAll(root, sandbox.root) : text,
    );
  }
  return worldIn(sandbox, made);
}

async function makeWorld(sandbox: GitSandbox): Promise<Made> {
  const commits = history(sandbox, 'upstream', [
    'add a check',
    'faster loop (#12)',
    'new reconcile/gql_definitions',
    'fix it',
  ]);
  const schemasCommits = history(sandbox, 'schemas', ['first schema', 'second schema']);
  cpSync(EXAMPLE_INSTANCE, sandbox.path('instance'), { recursive: true });
  const instance = sandbox.path('instance');
  rewrite(instance, [
    [EXAMPLE_PRODUCTION, commits[0] ?? ''],
    [EXAMPLE_STAGE, commits[1] ?? ''],
    [EXAMPLE_SCHEMAS.padEnd(40, '0'), schemasCommits[0] ?? ''],
  ]);
  await runCli(['promote', 'init'], { cwd: instance });
  sandbox.git('instance', 'init', '--quiet', '--template=', '--initial-branch', 'main');
  sandbox.commit('instance', 'the instance');
  for (const folder of ['upstream', 'schemas', 'instance']) sandbox.git(folder, 'repack', '-a', '-d', '--quiet');
  sandbox.git('', 'clone', '--quiet', '--template=', '--bare', 'instance', 'origin.git');
  sandbox.git('instance', 'remote', 'add', 'origin', sandbox.path('origin.git'));
  sandbox.git('instance', 'fetch', '--quiet', 'origin');
  return { image: imageOf(sandbox.root), root: sandbox.root, commits, schemasCommits };
}

function worldIn(sandbox: GitSandbox, { commits, schemasCommits }: Made): PromotionWorld {
  const instance = sandbox.path('instance');
  const run: PromotionWorld['run'] = (args, env = {}) => runCli(['promote', ...args], { cwd: instance, env });
  const write = (file: string, content: string): void => writeFileSync(join(instance, file), content);
  const text = (file: string): string => readFileSync(join(instance, file), 'utf8');
  return {
    sandbox,
    instance,
    upstream: sandbox.path('upstream'),
    schemas: sandbox.path('schemas'),
    commits,
    schemasCommits,
    text,
    write,
    replace: (file, found, by) => {
      if (!text(file).includes(found)) throw new Error(`${file} has no ${found}`);
      write(file, text(file).replace(found, by));
    },
    run,
    promote: (verb, ...args) => run([verb, '--upstream-clone', sandbox.path('upstream'), '--digest', DIGEST, ...args]),
    git: (...args) => sandbox.git('instance', ...args),
    dispose: sandbox.dispose,
  };
}

/** Commits by Daniel Wu, who is a user of the instance, but for the last, which is by the caller. */
function history(sandbox: GitSandbox, folder: string, subjects: readonly string[]): string[] {
  sandbox.init(folder);
  return subjects.map((subject, index) => {
    const isLast = index === subjects.length - 1;
    const file = subject.startsWith('new ') ? `${subject.slice(4)}/query.py` : `file-${index}`;
    sandbox.write(folder, file, `${index}\n`);
    sandbox.git(folder, 'add', '--all');
    const author = isLast ? 'Test <test@example.com>' : 'D. Wu <dwu@example.com>';
    sandbox.git(folder, 'commit', '--quiet', `--author=${author}`, '--message', subject);
    return sandbox.git(folder, 'rev-parse', 'HEAD');
  });
}

/** Whole commits first, then their first seven characters. */
function rewrite(folder: string, pairs: readonly (readonly [string, string])[]): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name);
    if (!statSync(file).isFile()) continue;
    const before = readFileSync(file, 'utf8');
    let after = before;
    for (const [old, value] of pairs) {
      after = after.replaceAll(old, value).replaceAll(old.slice(0, 7), value.slice(0, 7));
    }
    if (after !== before) writeFileSync(file, after);
  }
}
