import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE, manyClusters } from '../support/console-fleet.ts';
import { type FleetConsole, fleetConsole, runConsole } from '../support/console-run.ts';
import { until } from '../support/until.ts';
import { SIM_SECRET, upgradesCli } from '../support/upgrades-cli.ts';

const VIEWS = ['/', '/clusters', '/timeline', '/report', '/shards', '/help'];
const HEADERS: Readonly<Record<string, string | RegExp>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': /camera=\(\)/,
  'cache-control': 'no-store',
};

let console: FleetConsole;
beforeAll(async () => {
  console = await fleetConsole(manyClusters(100));
});
afterAll(() => console.dispose());

async function get(path: string, init: RequestInit = {}) {
  const response = await fetch(console.url + path, { redirect: 'manual', ...init });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

async function items(path: string): Promise<{ name: string; [field: string]: unknown }[]> {
  return JSON.parse((await get(path)).body).items;
}

/** Rows that a reader without a script sees. */
function rowsIn(body: string): string[] {
  return [...body.matchAll(/<tr><th scope="row"><a href="[^"]*">(.*?)<\/a>/g)].map(([, name]) => name ?? '');
}

describe('every response', () => {
  it.each([...VIEWS, '/clusters.json', '/nowhere', '/assets/console.css', '/assets/console.js', '/assets/icon.svg'])(
    'of %s carries the security headers',
    async (path) => {
      const { headers } = await get(path);
      for (const [name, value] of Object.entries(HEADERS))
        expect(headers.get(name), name).toEqual(typeof value === 'string' ? value : expect.stringMatching(value));
    },
  );

  it.each(VIEWS)('of %s has no inline script, style or handler, and nothing from elsewhere', async (path) => {
    const { body } = await get(path);
    const tags = [...body.matchAll(/<[^>]*>/g)].map(([tag]) => tag);
    expect(tags.filter((tag) => tag.startsWith('<script'))).toEqual(['<script src="/assets/console.js" defer>']);
    expect(tags.filter((tag) => /^<style|\s(?:style|on[a-z]+)=|javascript:/i.test(tag))).toEqual([]);
    expect(tags.filter((tag) => /(?:src|href|action)="(?!\/(?!\/)|#)/.test(tag))).toEqual([]);
  });

  it('has the forecast, which is computed in a thread of its own', async () => {
    const { upgrades } = JSON.parse((await get('/overview.json')).body);
    expect(upgrades.forecast).toMatchObject({ state: 'ready' });
    expect((await get('/timeline')).body).toContain('<rect class="foreseen');
  });

  it.each(VIEWS)('of %s says as of when its data is', async (path) => {
    expect((await get(path)).body).toContain('Clusters as of <time datetime="2026-03-02T10:00:00Z">');
  });
});

describe('a console that just started', () => {
  it('shows the forecast with the first page that has clusters', async () => {
    const cli = await upgradesCli(manyClusters(200));
    const run = await runConsole(cli.io, { configFile: 'upgrades.yml' }, cli.clock);
    const first = await until(
      async () => {
        const body = await (await fetch(`${run.url}/timeline`)).text();
        return body.includes('200 clusters') ? body : undefined;
      },
      { what: 'the first page with clusters' },
    );
    expect(first).toContain('<rect class="foreseen');
    expect(first).not.toContain('being computed');
    await run.stop();
    await cli.dispose();
  });
});

describe('nothing writes', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is refused', async (method) => {
    const { status, headers } = await get('/clusters', { method });
    expect({ status, allow: headers.get('allow') }).toEqual({ status: 405, allow: 'GET, HEAD' });
    expect(headers.get('x-frame-options')).toBe('DENY');
  });

  it('no page asks OCM for anything, and no look changed anything', async () => {
    const before = console.cli.sim.requests.length;
    for (const path of VIEWS) await get(path);
    expect(console.cli.sim.requests.length).toBe(before);
    expect(before).toBeGreaterThan(0);
    expect(console.cli.writes()).toEqual([]);
  });

  it('HEAD answers like GET, without a body', async () => {
    const { status, body, headers } = await get('/clusters', { method: 'HEAD' });
    expect({ status, body }).toEqual({ status: 200, body: '' });
    expect(Number(headers.get('content-length'))).toBeGreaterThan(1_000);
  });
});

describe('the list of clusters', () => {
  it('shows all of them with a verdict', async () => {
    const { body } = await get('/clusters');
    expect(rowsIn(body)).toHaveLength(100);
    expect(body).toContain('waits for sector');
  });

  it.each([
    { search: 'version=4.18.1', has: ({ version }: Row) => version === '4.18.1' },
    { search: 'org=org-3', has: ({ orgId }: Row) => orgId === 'org-3' },
    { search: 'gate=schedule', has: ({ gate }: Row) => gate === 'schedule' },
    { search: 'sector=canary&workload=web', has: ({ policy }: Row) => policy.sector === 'canary' },
    {
      search: 'q=C-1-+up+to+date',
      has: ({ name, version }: Row) => name.startsWith('c-1-') && version === '4.18.3',
    },
  ])('by $search has exactly those, as a page and as JSON', async ({ search, has }) => {
    const all = (await items('/clusters.json')) as unknown as Row[];
    const found = (await items(`/clusters.json?${search}`)) as unknown as Row[];
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(all.length);
    expect(found.every(has)).toBe(true);
    expect(rowsIn((await get(`/clusters?${search}`)).body)).toHaveLength(found.length);
  });

  it('is in the order that the address says', async () => {
    const names = (await items('/clusters.json?sort=-cluster&q=c-')).map(({ name }) => name);
    expect(names).toEqual(names.toSorted().reverse());
    expect((await get('/clusters?sort=-cluster')).body).toContain('aria-sort="descending"');
  });

  it('says so when there is none, and keeps what was asked for', async () => {
    const { body } = await get('/clusters?version=9.9.9&q=nothing');
    expect(body).toContain('<span data-count>0</span> of 100 clusters');
    expect(body).toContain('<option value="9.9.9" selected>');
    expect(body).toMatch(/<p class="none">No cluster matches/);
  });
});

interface Row {
  readonly name: string;
  readonly version: string;
  readonly orgId: string;
  readonly gate?: string;
  readonly policy: { readonly sector?: string };
}

describe('one cluster', () => {
  it('has every candidate with every gate in order, the policy and the forecast', async () => {
    const { status, body } = await get('/clusters/test/org-0/c-0-003-uuid');
    expect(status).toBe(200);
    const gates = [...body.matchAll(/<tr class="(?:pass|wait|broken)"><th scope="row">([a-z-]+)/g)].map(([, g]) => g);
    expect(gates.slice(0, 11)).toEqual([
      ...['available', 'blocked', 'inherited-floor', 'sector', 'soak'],
      ...['version-gate', 'freeze', 'schedule', 'mutex', 'busy', 'health'],
    ]);
    expect(body).toContain('<code>0 3 * * 1-5</code> UTC');
    expect(body).toMatch(/has soaked 0 of 3 days/);
  });

  it.each(['c-0-003', 'c-0-003-id'])('%s leads to the address that stays', async (reference) => {
    const { status, headers } = await get(`/clusters/test/org-0/${reference}`);
    expect({ status, to: headers.get('location') }).toEqual({ status: 302, to: '/clusters/test/org-0/c-0-003-uuid' });
  });

  it('is the same for programs', async () => {
    const { body } = await get('/clusters/test/org-0/c-0-003-uuid.json');
    expect(JSON.parse(body)).toMatchObject({
      ...{ apiVersion: 'echelon/v1', kind: 'ConsoleCluster', data: { state: 'known', asOf: '2026-03-02T10:00:00Z' } },
      cluster: { name: 'c-0-003', policy: { soakDays: 3 } },
      seen: [{ version: '4.18.1', since: '2026-03-02T10:00:00Z' }],
    });
  });

  it.each([
    '/clusters/test/org-0/nobody',
    '/clusters/test/org-0',
    '/clusters/a/b/c/d',
    '/clusters/%zz/a/b',
    '/constructor',
  ])('%s is not there', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});

describe('text of others', () => {
  it.each(['/clusters?org=org-3', '/timeline?org=org-3', '/clusters/test/org-3/c-3-007-uuid'])(
    'stays text on %s',
    async (path) => {
      const { body } = await get(path);
      expect(body).toContain('&lt;script&gt;window.hacked=1&lt;/script&gt;');
      expect(body).not.toContain('<script>window');
      expect(body).not.toContain('<img');
    },
  );

  it('stays text when it comes from the address', async () => {
    const { body } = await get(`/clusters?q=${encodeURIComponent(HOSTILE)}&org=${encodeURIComponent(HOSTILE)}`);
    expect(body).not.toContain('<script>window');
    expect(body).not.toContain('<img');
  });
});

describe('the halves', () => {
  it('one that is not configured says how to, and the other is there', async () => {
    const { body } = await get('/shards');
    expect(body).toContain('No instance is configured.');
    expect(body).toContain('--data');
  });

  it('one that fails says why, with what to do, and no secret', async () => {
    const cli = await upgradesCli(manyClusters(10));
    cli.write('upgrades.yml', 'environments: []\n');
    const other = await runConsole(cli.io, { configFile: 'upgrades.yml', data: 'nowhere' }, cli.clock);
    try {
      await other.ready();
      const overview = await (await fetch(`${other.url}/overview.json`)).json();
      expect(overview).toMatchObject({ upgrades: { state: 'failed' }, shards: { state: 'failed' } });
      const body = await (await fetch(`${other.url}/`)).text();
      expect(body.match(/<div class="notice bad" role="alert">/g)).toHaveLength(2);
      expect(body + other.output.stderr).not.toContain(SIM_SECRET);
    } finally {
      await other.stop();
      await cli.dispose();
    }
  });
});

describe('a look that fails later', () => {
  it('leaves what was seen before, and says that it is old', async () => {
    const own = await fleetConsole(manyClusters(10), { refresh: 1 });
    try {
      own.cli.sim.addFault({ probability: 1, effect: { kind: 'status', status: 403 } });
      const failed = await until(
        async () => {
          const { upgrades } = (await (await fetch(`${own.url}/overview.json`)).json()) as Overview;
          return upgrades.error === undefined ? undefined : upgrades;
        },
        { what: 'a look has failed' },
      );
      expect(failed).toMatchObject({ state: 'known', clusters: 10, asOf: '2026-03-02T10:00:00Z' });
      const body = await (await fetch(`${own.url}/clusters`)).text();
      expect(body).toContain('The data below is from the last successful observation.');
      expect(rowsIn(body)).toHaveLength(10);
    } finally {
      await own.dispose();
    }
  });
});

interface Overview {
  readonly upgrades: { readonly error?: unknown };
}

describe('the end', () => {
  it('comes with the signal, and is no error', async () => {
    const cli = await upgradesCli(manyClusters(10));
    const run = await runConsole(cli.io, { configFile: 'upgrades.yml' }, cli.clock);
    await run.ready();
    expect(await run.stop()).toBe(0);
    await expect(fetch(run.url)).rejects.toThrow();
    expect(run.output).toEqual({ stdout: `console on ${run.url}/ (press Ctrl-C to stop)\n`, stderr: '' });
    await cli.dispose();
  });
});
