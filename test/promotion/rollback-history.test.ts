import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type GitSandbox, gitSandbox } from '../support/git-sandbox.ts';
import { holdsAsync } from '../support/property.ts';
import { runCli } from '../support/run-cli.ts';

/** `ECHELON_HISTORIES=500` for a longer run; each history is some twenty processes of git. */
const RUNS = Number(process.env['ECHELON_HISTORIES'] ?? 5);

let box: GitSandbox;
beforeEach(() => {
  box = gitSandbox();
});
afterEach(() => box.dispose());

const URL = 'https://github.com/example/tool';
const commit = (version: number): string => `${'abcdef'[version % 6]}${version}`.padEnd(40, '7');
const short = (version: number): string => commit(version).slice(0, 7);

/** Values by place: a line of .env, and `tag` of each item in each file of a folder. */
interface World {
  readonly env: number;
  readonly files: Readonly<Record<string, Readonly<Record<string, number>>>>;
}
type Places = ReadonlyMap<string, number>;

function placesOf({ env, files }: World): Places {
  const items = Object.entries(files).flatMap(([file, own]) =>
    Object.entries(own).map(([item, version]) => [`${file} ${item}`, version] as const),
  );
  return new Map([['env', env], ...items]);
}

type Step =
  | { readonly do: 'promote'; readonly to: number; readonly what: 'all' | 'env' | 'items' }
  | { readonly do: 'add' | 'remove' | 'rename' | 'item' | 'comment'; readonly at: number };
type How = 'commit' | 'merge' | 'squash';

const step: fc.Arbitrary<{ readonly step: Step; readonly how: How }> = fc.record({
  step: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('promote' as const),
        to: fc.nat(5),
        what: fc.constantFrom('all' as const, 'env' as const, 'items' as const),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constantFrom('add' as const, 'remove' as const, 'rename' as const, 'item' as const, 'comment' as const),
        at: fc.nat(9),
      }),
    },
  ),
  how: fc.constantFrom('commit' as const, 'merge' as const, 'squash' as const),
});

/** The world after a step; every item is new in its file by its number. */
function after(world: World, { step: one }: { readonly step: Step }, index: number): World {
  return one.do === 'promote' ? promoted(world, one) : edited(world, one, index);
}

function promoted(world: World, { to, what }: Step & { readonly do: 'promote' }): World {
  const all = (own: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.keys(own).map((item) => [item, to] as const));
  const files = Object.fromEntries(Object.entries(world.files).map(([file, own]) => [file, all(own)] as const));
  return { env: what === 'items' ? world.env : to, files: what === 'env' ? world.files : files };
}

function edited(world: World, one: Exclude<Step, { readonly do: 'promote' }>, index: number): World {
  const names = Object.keys(world.files);
  const file = names[one.at % names.length] ?? '';
  const { [file]: own = {}, ...rest } = world.files;
  const newest = Object.values(own)[0] ?? world.env;
  const added = { [`i${index}`]: newest };
  const files = {
    add: { ...world.files, [`f${index}`]: added },
    remove: names.length === 1 ? world.files : rest,
    rename: { ...rest, [`f${index}`]: own },
    item: { ...rest, [file]: { ...added, ...own } },
    comment: world.files,
  };
  return { ...world, files: files[one.do] };
}

function write(world: World, was: World, index: number): void {
  const at = (path: string): string => box.path('repo', path);
  for (const file of Object.keys(was.files)) if (!(file in world.files)) rmSync(at(`data/${file}.yml`));
  for (const [file, own] of Object.entries(world.files)) {
    const items = Object.entries(own).map(([name, version]) => `- name: ${name}\n  tag: '${short(version)}'\n`);
    mkdirSync(dirname(at(`data/${file}.yml`)), { recursive: true });
    writeFileSync(at(`data/${file}.yml`), `$schema: /tool-1.yml\nname: ${file}\n# ${index}\nitems:\n${items.join('')}`);
  }
  writeFileSync(at('.env'), `# ${index}\nexport TOOL_IMAGE_TAG=${short(world.env)}\n`);
}

const CONFIG = `upstreams: { tool: { url: ${URL} } }
targets:
- { name: checks, file: .env, key: TOOL_IMAGE_TAG, form: short }
- { name: items, schema: /tool-1.yml, path: 'items[].tag', form: short, required: false, matches: { max: 50 } }
`;

/** The states of main, one for each commit on it, replayed without git. */
function make(steps: readonly { readonly step: Step; readonly how: How }[]): World[] {
  const git = (...args: readonly string[]): string => box.git('repo', ...args);
  let world: World = { env: 0, files: { f: { i: 0 } } };
  const states = [world];
  mkdirSync(box.path('repo'));
  git('init', '--quiet', '--template=', '--initial-branch', 'main');
  writeFileSync(box.path('repo', 'promotion.yml'), CONFIG);
  write(world, world, 0);
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
  for (const [index, one] of steps.entries()) {
    const next = after(world, one, index + 1);
    if (one.how !== 'commit') git('checkout', '--quiet', '-b', `topic-${index}`);
    write(next, world, index + 1);
    git('add', '--all');
    git('commit', '--quiet', '--message', `step ${index}`);
    if (one.how !== 'commit') {
      git('checkout', '--quiet', 'main');
      if (one.how === 'merge') git('merge', '--quiet', '--no-ff', '--no-edit', `topic-${index}`);
      else {
        git('merge', '--quiet', '--squash', `topic-${index}`);
        git('commit', '--quiet', '--message', `squashed ${index}`);
      }
    }
    world = next;
    states.push(world);
  }
  return states;
}

/** What a rollback has to do, from the states alone: the values from before the last change, or why it refuses. */
function expected(states: readonly World[]): Places | 'nothing' | 'missing' | 'rollback' {
  const history = states.map(placesOf);
  const now = history.at(-1) ?? new Map();
  const lives = new Map([...now.keys()].map((place) => [place, lifeOf(history, place)]));
  const changedAt = (place: string, from: number): number | undefined => {
    const life = lives.get(place) ?? 0;
    for (let index = from; index > life; index -= 1)
      if (history[index]?.get(place) !== history[index - 1]?.get(place)) return index;
    return undefined;
  };
  const last = Math.max(-1, ...[...now.keys()].map((place) => changedAt(place, history.length - 1) ?? -1));
  if (last === -1) return 'nothing';
  const changed = [...now.keys()].filter((place) => changedAt(place, history.length - 1) === last);
  const isTouched = (place: string): boolean => changed.some((one) => (one === 'env') === (place === 'env'));
  if ([...now.keys()].some((place) => isTouched(place) && (lives.get(place) ?? 0) >= last)) return 'missing';
  const previous = Math.max(-1, ...changed.map((place) => changedAt(place, last - 1) ?? -1));
  const both = changed.filter((place) => previous !== -1 && changedAt(place, last - 1) === previous);
  if (both.length > 0 && both.every((place) => history[previous - 1]?.get(place) === now.get(place))) return 'rollback';
  return new Map(
    [...now].map(([place, version]) => [
      place,
      changed.includes(place) ? (history[last - 1]?.get(place) ?? version) : version,
    ]),
  );
}

/** The first state since which a place was there without a break. */
function lifeOf(history: readonly Places[], place: string): number {
  let index = history.length - 1;
  while (index > 0 && history[index - 1]?.has(place)) index -= 1;
  return index;
}

const CODES = { nothing: 'PROMOTION_UNKNOWN', missing: 'ROLLBACK_PLACE_MISSING', rollback: 'ROLLBACK_OF_ROLLBACK' };

it('a rollback gives exactly the values from before the last change, or refuses, whatever the history', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 7 }), async (steps) => {
    rmSync(box.path('repo'), { recursive: true, force: true });
    const states = make(steps);
    const wanted = expected(states);
    const world = states.at(-1);
    if (world === undefined) throw new Error('no state');
    const { code, stderr } = await runCli(['promote', 'rollback', 'apply', '--yes', '--offline'], {
      cwd: box.path('repo'),
    });
    const told = typeof wanted === 'string' ? CODES[wanted] : '';
    expect({ code, stderr }).toEqual({ code: told === '' ? 0 : 1, stderr: expect.stringContaining(told) });
    const diff = box.git('repo', 'diff', '--unified=0').match(/^[+-](?![+-]).*$/gm) ?? [];
    if (typeof wanted === 'string') expect(diff).toEqual([]);
    else expect(placesIn(world)).toEqual(new Map([...wanted].map(([place, version]) => [place, short(version)])));
  });
  await holdsAsync(property, { numRuns: RUNS });
}, 3_600_000);

/** What the working tree holds now. */
function placesIn(world: World): ReadonlyMap<string, string> {
  const text = (path: string): string => readFileSync(box.path('repo', path), 'utf8');
  const items = Object.keys(world.files).flatMap((file) =>
    [...text(`data/${file}.yml`).matchAll(/name: (i\d*)\n {2}tag: '?(\w+)'?/g)].map(
      ([, item, tag]) => [`${file} ${item}`, tag ?? ''] as const,
    ),
  );
  return new Map([['env', /TAG=(\w+)/.exec(text('.env'))?.[1] ?? ''], ...items]);
}
