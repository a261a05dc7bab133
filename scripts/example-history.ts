import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { DAY_MS, FLEET_TOOLS, PEOPLE, RECONCILER, SCHEMAS, SERVER, storyOf, TAGGED } from './example-upstreams.ts';
import { type Versions, withVersions } from './example-versions.ts';
import { addCommits, git, makeRepository, type Person, type StoryCommit } from './fast-import.ts';

export interface ExampleHistoryOptions {
  /** Newest moment of the history; a fixed day when absent, so that every run gives the same commits. */
  readonly now?: Date;
}

export interface ExampleHistory {
  /** Work tree of the reconciler's repository. */
  readonly upstream: string;
  readonly schemas: string;
  readonly fleetTools: string;
  readonly server: string;
  /** Bare. */
  readonly origin: string;
  /** Clone of the origin, main checked out, with a user of its own. */
  readonly instance: string;
  /** Branch of the origin with a promotion that is not merged. */
  readonly promotionBranch: string;
  /** On a commit of the upstream. */
  readonly tag: string;
  /** Upstream commits, oldest first. */
  readonly upstreamCommits: readonly string[];
  readonly schemasCommits: readonly string[];
  /** What the instance runs now, of `upstreamCommits`. */
  readonly promoted: { readonly stage: string; readonly production: string };
  /** What the open promotion would run in production. */
  readonly proposed: string;
  /** Held by pins since 40 days before the newest moment. */
  readonly pinned: string;
  readonly now: Date;
}

const EXAMPLE = join(import.meta.dirname, '../examples/instance');
const NOW = new Date('2026-11-15T09:00:00Z');

const NO_PINS = /^ {4}# The provider upgrade[\s\S]*?imageRef: \S+\n|^ {6}imageRef: \S+\n/gm;
const NO_BLOCKED = /^ *# writes empty machine pools.*\n *blockedVersions:\n *- \S+\n/m;
const PINNED_FILE = 'data/integrations/terraform-resources.yml';
const BLOCKED_FILE = 'data/services/app-interface/app.yml';

/** Makes the repositories around the example instance in a new or empty folder. Needs git, no network and no settings. */
export async function exampleHistory(folder: string, options: ExampleHistoryOptions = {}): Promise<ExampleHistory> {
  const root = resolve(folder);
  if (existsSync(root) && readdirSync(root).length > 0) throw new Error(`${root} is not empty`);
  const now = options.now ?? NOW;
  const paths = {
    upstream: join(root, 'reconciler'),
    schemas: join(root, 'schemas'),
    fleetTools: join(root, 'fleet-tools'),
    server: join(root, 'server'),
    origin: join(root, 'origin.git'),
    instance: join(root, 'instance'),
  };
  const [upstreamCommits, schemasCommits, fleetTools, server] = await Promise.all([
    madeUpstream(paths.upstream, storyOf(RECONCILER, now)),
    madeUpstream(paths.schemas, storyOf(SCHEMAS, now)),
    madeUpstream(paths.fleetTools, storyOf(FLEET_TOOLS, now)),
    madeUpstream(paths.server, storyOf(SERVER, now)),
  ]);
  const moments = momentsOf({ upstream: upstreamCommits, schemas: schemasCommits, fleetTools, server });
  const { main, proposal } = instanceStory(moments, now);
  await makeRepository(paths.origin, main, true);
  const last = moments.proposed.production;
  const promotionBranch = `promote/reconcile-${last.slice(0, 7)}`;
  await addCommits(paths.origin, promotionBranch, [proposal], 'refs/heads/main');
  await git(root, 'clone', '--quiet', '--template=', paths.origin, paths.instance);
  await git(paths.instance, 'config', 'user.name', 'You');
  await git(paths.instance, 'config', 'user.email', 'you@example.com');
  return {
    ...paths,
    ...{ promotionBranch, tag: TAGGED.name, upstreamCommits, schemasCommits, now, proposed: last },
    promoted: { stage: moments.now.stage, production: moments.now.production },
    pinned: moments.now.pin,
  };
}

async function madeUpstream(folder: string, story: readonly StoryCommit[]): Promise<string[]> {
  const shas = await makeRepository(folder, story);
  await git(folder, 'reset', '--quiet', '--hard', 'main');
  return shas;
}

interface Moments {
  readonly import: Versions;
  readonly earlier: Versions;
  readonly held: Versions;
  readonly recent: Versions;
  readonly now: Versions;
  readonly proposed: Versions;
}

/** What the instance named at some moments, by the commits of its upstreams. */
function momentsOf(commits: Readonly<Record<'upstream' | 'schemas' | 'fleetTools' | 'server', string[]>>): Moments {
  const at = (repository: keyof typeof commits, index: number): string => commits[repository][index] ?? '';
  const first: Versions = {
    production: at('upstream', 5),
    stage: at('upstream', 6),
    oldPin: at('upstream', 4),
    pin: at('upstream', 4),
    blocked: at('upstream', 17),
    schemas: at('schemas', 1),
    fleetTools: at('fleetTools', 0),
    serverProduction: at('server', 0),
    serverStage: at('server', 0),
  };
  const earlier = {
    ...first,
    ...{ production: at('upstream', 9), stage: at('upstream', 10), schemas: at('schemas', 2) },
    ...{ serverProduction: at('server', 1), serverStage: at('server', 1) },
  };
  const held = { ...earlier, pin: at('upstream', 9), fleetTools: at('fleetTools', 1) };
  const recent = { ...held, production: at('upstream', 15), stage: at('upstream', 16), schemas: at('schemas', 3) };
  const now = { ...recent, stage: at('upstream', 20), serverStage: at('server', 2) };
  return { import: first, earlier, held, recent, now, proposed: { ...now, production: at('upstream', 22) } };
}

function instanceStory(moments: Moments, now: Date): { main: StoryCommit[]; proposal: StoryCommit } {
  const commit = (daysAgo: number, author: Person, message: string, files: Files): StoryCommit => ({
    ...{ author, message, files, whole: true },
    date: new Date(now.getTime() - daysAgo * DAY_MS),
  });
  const { mara, jonas } = PEOPLE;
  const main = [
    commit(150, mara, 'Import the instance', filesAt(moments.import, [PINNED_FILE, BLOCKED_FILE])),
    commit(85, mara, 'Promote the reconciler', filesAt(moments.earlier, [PINNED_FILE, BLOCKED_FILE])),
    commit(40, jonas, 'Hold some shards back during the provider upgrade', filesAt(moments.held, [BLOCKED_FILE])),
    commit(26, mara, 'Promote the reconciler', filesAt(moments.recent, [BLOCKED_FILE])),
    commit(22, jonas, 'Block the version that empties machine pools', filesAt(moments.recent, [])),
    commit(11, mara, 'Try the newest reconciler on stage', filesAt(moments.now, [])),
  ];
  return { main, proposal: commit(2, jonas, 'Promote the reconciler in production', filesAt(moments.proposed, [])) };
}

type Files = Map<string, string | Uint8Array>;

/** The files of the example with the commits of a moment; in the named files, what came later is left out. */
function filesAt(versions: Versions, before: readonly string[]): Files {
  const entries = readdirSync(EXAMPLE, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries
    .map((entry) => relative(EXAMPLE, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
  return new Map(
    paths.map((path) => {
      const text = withVersions(readFileSync(join(EXAMPLE, path), 'utf8'), versions);
      return [path, before.includes(path) ? withoutLater(path, text) : text];
    }),
  );
}

function withoutLater(path: string, text: string): string {
  const earlier = text.replace(path === PINNED_FILE ? NO_PINS : NO_BLOCKED, '');
  if (earlier === text) throw new Error(`examples/instance/${path} does not have what this history leaves out of it`);
  return earlier;
}

async function main(): Promise<void> {
  const [folder, force] = process.argv.slice(2);
  if (folder === undefined) throw new Error('name the folder: node scripts/example-history.ts FOLDER [--force]');
  if (force === '--force') rmSync(folder, { recursive: true, force: true });
  const made = await exampleHistory(folder);
  console.log(`instance    ${made.instance} (clone of ${made.origin})`);
  console.log(`reconciler  ${made.upstream}, ${made.upstreamCommits.length} commits, tag ${made.tag}`);
  console.log(`schemas     ${made.schemas}, ${made.schemasCommits.length} commits`);
  console.log(`others      ${made.fleetTools}, ${made.server}`);
  console.log(`production  ${made.promoted.production.slice(0, 7)}, stage ${made.promoted.stage.slice(0, 7)}`);
  console.log(`proposed    ${made.proposed.slice(0, 7)} on ${made.promotionBranch}`);
}

if (import.meta.main) await main();
