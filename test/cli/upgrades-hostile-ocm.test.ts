import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { sha256Of } from '../../src/base/index.ts';
import type { Io } from '../../src/cli/io.ts';
import {
  error,
  firstTimes,
  type HostileOcm,
  type Misbehaviour,
  proxyPage,
  startHostileOcm,
} from '../support/hostile-ocm.ts';
import type { HostileCluster } from '../support/hostile-ocm-records.ts';
import { hangUp, json, type Reply, type SeenRequest } from '../support/local-http.ts';
import { holdsAsync } from '../support/property.ts';
import { apply, plan } from '../support/upgrade-commands.ts';

const NAMES = Array.from({ length: 12 }, (_, index) => `c${String(index).padStart(2, '0')}`);

/** Two that share a mutex, one that has not soaked, one that is due later, and eight that are due. */
const FLEET: readonly HostileCluster[] = NAMES.map((name, index) => ({
  name,
  aus: [{ mutexes: 'm' }, { mutexes: 'm' }, { 'soak-days': '5' }, { schedule: '0 20 * * *' }][index] ?? {},
}));
const DUE = ['c00', ...NAMES.slice(4)];
const UPGRADES = DUE.map((name) => `${name} 4.18.3`);

let ocm: HostileOcm;
let folder = '';
const waits: number[] = [];
afterEach(stop);

async function stop(): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await ocm.close();
}

async function start(...given: Parameters<typeof startHostileOcm>): Promise<void> {
  ocm = await startHostileOcm(...given);
  now = Date.parse('2026-03-02T10:00:00Z');
  waits.length = 0;
  folder = mkdtempSync(join(tmpdir(), 'echelon-hostile-'));
  const login = `url: ${ocm.url}, tokenUrl: ${ocm.tokenUrl}, credentials: { clientId: robot, clientSecretEnv: SECRET }`;
  writeFileSync(
    join(folder, 'upgrades.yml'),
    `environments:\n- { name: test, ${login} }\norganizations: { allow: all }\nstate: state\n`,
  );
}

/** Time stands still; pauses are noted and end at once. */
let now = 0;
const clock = {
  now: () => new Date(now),
  sleep: async (ms: number) => void waits.push(ms),
};

function minutesLater(minutes: number): void {
  now += minutes * 60_000;
}

async function run(command: 'plan' | 'apply'): Promise<{ code: number; stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' };
  const output = (name: keyof typeof written) => ({
    isTTY: false,
    write: (text: string) => {
      written[name] += text;
    },
  });
  const io: Io = {
    ...{ stdout: output('stdout'), stderr: output('stderr'), cwd: folder, signal: new AbortController().signal },
    env: { SECRET: 'a-secret-of-the-robot', HOME: folder },
  };
  const flags = { configFile: 'upgrades.yml', output: 'table' } as const;
  const code = command === 'plan' ? await plan(io, flags, clock) : await apply(io, { ...flags, yes: true }, clock);
  return { code, ...written };
}

const isTo =
  (end: string, method = 'GET') =>
  (request: SeenRequest) =>
    request.method === method && request.path.endsWith(end);
const isPost = isTo('/upgrade_policies', 'POST');
const upgradesIn = (stdout: string): string[] =>
  [...stdout.matchAll(/^\S+ +(\S+) +\S+ +upgrade +(\S+)/gm)].map(([, name, to]) => `${name} ${to}`);

const LISTS = /\/(labels|subscriptions|clusters|upgrade_policies)$/;
const isRead = ({ method }: SeenRequest): boolean => method === 'GET';
const RETRY_AFTER = { 'retry-after': '7' };

/** Every list is read with a token that has just expired. */
function expiringTokens(): Misbehaviour {
  const before = new Set<string>();
  return ({ method, path }, _, { expireTokens }) => {
    const collection = `${method} ${path.split('/').at(-1)}`;
    if (path !== '/token' && !before.has(collection)) {
      before.add(collection);
      expireTokens();
    }
    return undefined;
  };
}

describe('an OCM that', () => {
  it.each([
    { does: 'behaves', misbehave: () => undefined, options: {} },
    {
      does: 'throttles every request twice',
      misbehave: firstTimes(2, error(429, 'slow down', RETRY_AFTER)),
      options: {},
    },
    {
      does: 'is down twice for every read',
      misbehave: firstTimes(2, error(503, 'down', RETRY_AFTER), isRead),
      options: {},
    },
    {
      does: 'has a proxy that is down twice for every read',
      misbehave: firstTimes(2, proxyPage(502), isRead),
      options: {},
    },
    {
      does: 'gives half a page of every list, once',
      misbehave: (request: SeenRequest, nth: number, { half }: HostileOcm) =>
        nth === 1 && isRead(request) && LISTS.test(request.path) ? half(request) : undefined,
      options: {},
    },
    { does: 'gives fewer rows than asked for', misbehave: () => undefined, options: { pageLimit: 5 } },
    { does: 'gives tokens for a second', misbehave: () => undefined, options: { expiresIn: 1 } },
    { does: 'expires tokens early', misbehave: expiringTokens(), options: {} },
  ])('$does gets what it should, once', async ({ misbehave, options }) => {
    await start(FLEET, options);
    ocm.misbehave(misbehave);
    const planned = await run('plan');
    expect([planned.code, upgradesIn(planned.stdout), ocm.created]).toEqual([0, UPGRADES, []]);
    ocm.misbehave(misbehave);
    const applied = await run('apply');
    expect([applied.code, ocm.created.toSorted()]).toEqual([0, UPGRADES]);
    expect((await run('apply')).stdout).toContain('Done: 0 changes made');
    expect(ocm.created).toHaveLength(UPGRADES.length);
  });

  it('says how long to wait is not asked before', async () => {
    await start(FLEET);
    ocm.misbehave(firstTimes(1, error(429, 'slow down', RETRY_AFTER)));
    expect((await run('plan')).code).toBe(0);
    expect(waits.length).toBeGreaterThan(4);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(7_000);
  });
});

describe('a request for an upgrade whose reply is', () => {
  const committing =
    (reply: Reply): Misbehaviour =>
    (request, nth, { commit }) => {
      if (!isPost(request) || nth > 1) return undefined;
      commit(request);
      return reply;
    };

  it.each([
    { reply: '503, and it was carried out', misbehave: committing(error(503, 'down', RETRY_AFTER)) },
    { reply: '503, and it was not', misbehave: firstTimes(1, error(503, 'down', RETRY_AFTER), isPost) },
    { reply: 'a page of a proxy, and it was carried out', misbehave: committing(proxyPage(200)) },
    { reply: 'a page of a proxy, and it was not', misbehave: firstTimes(1, proxyPage(200), isPost) },
    { reply: 'lost, and it was carried out', misbehave: committing(hangUp) },
    { reply: 'lost, and it was not', misbehave: firstTimes(1, hangUp, isPost) },
  ])('$reply is neither lost nor made twice', async ({ misbehave }) => {
    await start(FLEET);
    ocm.misbehave(misbehave);
    await run('apply');
    ocm.behave();
    for (let pass = 1; pass <= 3; pass += 1) {
      minutesLater(30);
      await run('apply');
    }
    expect(ocm.created.toSorted()).toEqual(UPGRADES);
  });
});

describe('a cluster that vanishes', () => {
  const without = (name: string): string[] => UPGRADES.filter((upgrade) => !upgrade.startsWith(name));

  it('between two pages takes no other with it', async () => {
    await start(FLEET, { pageLimit: 5 });
    ocm.misbehave((request, nth, { vanish }) => {
      if (isTo('/clusters')(request) && request.query['page'] === '2' && nth === 1) vanish('c04');
      return undefined;
    });
    await run('apply');
    expect(ocm.created.toSorted()).toEqual(without('c04'));
  });

  it.each([
    { when: 'before its policies are read', path: '/clusters/c04-id/upgrade_policies', method: 'GET' },
    { when: 'before its upgrade is asked for', path: '/clusters/c04-id/upgrade_policies', method: 'POST' },
  ])('$when takes no other with it', async ({ path, method }) => {
    await start(FLEET);
    ocm.misbehave((request, _, { vanish }) => {
      if (isTo(path, method)(request)) vanish('c04');
      return undefined;
    });
    await run('apply');
    expect(ocm.created.toSorted()).toEqual(without('c04'));
    ocm.behave();
    expect((await run('apply')).code).toBe(0);
    expect(ocm.created.toSorted()).toEqual(without('c04'));
  });
});

describe('a cluster record without a version', () => {
  it('stops that cluster, and no other', async () => {
    await start([...FLEET, { name: 'd-unversioned', more: { version: undefined } }]);
    await run('apply');
    expect(ocm.created.toSorted()).toEqual(UPGRADES);
  });
});

describe('a value that came later than Echelon', () => {
  const ODD: readonly HostileCluster[] = [
    { name: 'a-state', more: { state: 'napping' } },
    { name: 'b-health', more: { health_state: 'wobbly' } },
    { name: 'c-product', more: { product: { id: 'osd' }, billing_model: 'barter' } },
  ];

  it('in the state of a cluster keeps it from upgrades, and no other', async () => {
    await start([...FLEET, ...ODD]);
    await run('apply');
    expect(ocm.created.toSorted()).toEqual(['b-health 4.18.3', ...UPGRADES, 'c-product 4.18.3'].toSorted());
  });

  it('in the state of a policy keeps its cluster from a second one', async () => {
    await start(FLEET);
    await run('apply');
    ocm.misbehave((request) => (request.path.endsWith('/state') ? json(200, { value: 'pondering' }) : undefined));
    minutesLater(30);
    await run('apply');
    expect(ocm.created.toSorted()).toEqual(UPGRADES);
  });
});

describe('a page of a proxy instead of a list', () => {
  it.each(['/api/accounts_mgmt/v1/labels', '/api/accounts_mgmt/v1/subscriptions', '/api/clusters_mgmt/v1/clusters'])(
    'at %s is an error that names it, and nothing is changed',
    async (path) => {
      await start(FLEET);
      ocm.misbehave((request) => (request.path === path ? proxyPage(200) : undefined));
      for (const command of ['plan', 'apply'] as const) {
        const { code, stderr } = await run(command);
        expect([code, stderr]).toEqual([1, expect.stringContaining(`GET ${ocm.url}${path}`)]);
      }
      expect(ocm.created).toEqual([]);
    },
  );

  it('of one cluster is an error that names it, and stops that cluster', async () => {
    await start(FLEET);
    const path = '/api/clusters_mgmt/v1/clusters/c04-id/upgrade_policies';
    ocm.misbehave((request) => (request.path === path ? proxyPage(200) : undefined));
    const { code, stderr } = await run('apply');
    expect([code, stderr]).toEqual([1, expect.stringContaining(`GET ${ocm.url}${path}`)]);
    expect(ocm.created.toSorted()).toEqual(UPGRADES.filter((upgrade) => !upgrade.startsWith('c04')));
  });

  it('of the token endpoint is an error that names it', async () => {
    await start(FLEET);
    ocm.misbehave((request) => (request.path === '/token' ? proxyPage(200) : undefined));
    const { code, stderr } = await run('plan');
    expect([code, stderr]).toEqual([1, expect.stringContaining(ocm.tokenUrl)]);
  });
});

describe('a label over the size limit of a response', () => {
  const HUGE = 'x'.repeat(32 * 1024 * 1024);
  const TOO_LARGE = /GET \S+\/api\/accounts_mgmt\/v1\/labels: response larger than 32/;

  it.each([
    {
      given: 'a cluster',
      fleet: FLEET.map((each) => (each.name === 'c05' ? { ...each, aus: { 'blocked-versions': HUGE } } : each)),
      labels: {},
    },
    { given: 'an organization that has no clusters', fleet: FLEET, labels: { 'org-9': { 'blocked-versions': HUGE } } },
  ])('of $given stops the OCM that has it, with an error that names the endpoint', async ({ fleet, labels }) => {
    await start(fleet, { organizationLabels: labels });
    const { code, stderr } = await run('apply');
    expect([code, stderr]).toEqual([1, expect.stringMatching(TOO_LARGE)]);
    expect(stderr).toContain('find that record in OCM and delete or shorten it');
    expect(ocm.created).toEqual([]);
  });
});

describe('all of it at once', () => {
  /** Decided by seed and request, so that the order of arrival does not matter. */
  const anything =
    (seed: number): Misbehaviour =>
    (request, nth, { commit }) => {
      if (request.path === '/token') return undefined;
      const dice = Number.parseInt(sha256Of(`${seed} ${request.method} ${request.path} ${nth}`).slice(0, 6), 16) % 12;
      const lost = [hangUp, proxyPage(502), proxyPage(200), error(503, 'down'), error(429, 'slow down')][dice];
      if (lost === undefined) return undefined;
      if (isPost(request) && dice < 4 && seed % 2 === 0) commit(request);
      return lost;
    };

  it('ends with every upgrade made once, as soon as OCM behaves', async () => {
    await holdsAsync(
      fc.asyncProperty(fc.nat(), async (seed) => {
        await start(FLEET, { pageLimit: 5 });
        try {
          for (let pass = 1; pass <= 2; pass += 1) {
            ocm.misbehave(anything(seed + pass * 2));
            await run('apply');
            expect(new Set(ocm.created).size).toBe(ocm.created.length);
            minutesLater(30);
          }
          ocm.behave();
          for (let pass = 1; pass <= 2; pass += 1) {
            await run('apply');
            minutesLater(60);
          }
          expect(ocm.created.toSorted()).toEqual(UPGRADES);
        } finally {
          await stop();
        }
      }),
      { numRuns: 4 },
    );
  });
});
