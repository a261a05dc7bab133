import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE_TRACK, haltedFleet } from '../support/console-rollouts.ts';
import { type ConsoleRun, consoleOf } from '../support/console-run.ts';
import { type RolloutFleet, rolloutFleet, TWO_WAVES } from '../support/rollout-fleet.ts';
import { writesOf } from '../support/sim-fleet.ts';

const ALPHA = '/rollouts/lab/terraform-resources%2Falpha';
const BETA = '/rollouts/lab/terraform-resources%2Fbeta';

describe('a halted rollout in the console', () => {
  let fleet: RolloutFleet;
  let run: ConsoleRun;
  let writes: number;
  beforeAll(async () => {
    fleet = await haltedFleet();
    writes = writesOf(fleet.sim).length;
    run = await consoleOf(fleet, { rolloutRecord: fleet.record() });
  });
  afterAll(async () => {
    await run?.stop();
    await fleet?.dispose();
  });
  const get = async (path: string) => (await fetch(run.url + path)).text();

  it('comes first on its page, with the shard that failed and why', async () => {
    const body = await get('/rollouts');
    const main = body.slice(body.indexOf('<main'));
    expect(main.indexOf('is halted')).toBeGreaterThan(0);
    expect(main.indexOf('is halted')).toBeLessThan(main.indexOf('<form'));
    expect(main).toContain('it was pinned to another image before it soaked');
    expect(main).toContain(`href="${ALPHA}"`);
    expect(main).toMatch(/<h3>canary .*<h3>rest .*closed/s);
  });

  it('is above the list whatever the filters hide', async () => {
    const body = await get('/rollouts?state=complete');
    expect(body).toContain('is halted');
    expect(body).toContain('No track matches.');
  });

  it('has a permalink for every shard: every gate in order, and when it opens', async () => {
    const body = await get(BETA);
    for (const gate of ['pinned', 'paused', 'rejected', 'halted', 'freeze', 'window', 'wave', 'queries', 'parallel'])
      expect(body).toContain(`<th scope="row">${gate}</th>`);
    expect(body).toContain('a later resume for');
    const { kind, shard } = JSON.parse(await get(`${BETA}.json`));
    expect({ kind, state: shard.state }).toEqual({ kind: 'ConsoleRolloutShard', state: 'held' });
  });

  it.each([
    { path: '/rollouts/lab/terraform-resources%2Fdelta', status: 404 },
    { path: '/rollouts/nowhere/terraform-resources%2Falpha', status: 404 },
    { path: '/rollouts/lab/terraform-resources/alpha', status: 404 },
    { path: '/rollouts/lab/%E0%A4%A', status: 404 },
    { path: '/rollouts/', status: 404 },
    { path: ALPHA, status: 200 },
  ])('$path is answered $status', async ({ path, status }) => {
    expect((await fetch(run.url + path)).status).toBe(status);
  });

  it('is the same as JSON, with the same filters', async () => {
    const { kind, items } = JSON.parse(await get('/rollouts.json'));
    expect(kind).toBe('ConsoleRolloutList');
    expect(items).toMatchObject([
      {
        ...{ track: 'lab', environment: 'lab', state: 'halted', version: '0473914' },
        alerts: [{ kind: 'halted', at: expect.stringMatching(/^2.*Z$/) }],
        waves: [
          { name: 'canary', shards: [{ id: 'terraform-resources/alpha', state: 'failed' }] },
          { name: 'rest', state: 'closed' },
        ],
      },
    ]);
    expect(JSON.parse(await get('/rollouts.json?state=complete')).items).toEqual([]);
    expect(JSON.parse(await get('/rollouts.json?q=beta')).items[0].waves[1].shards).toHaveLength(1);
  });

  it('was only read', () => {
    expect(writesOf(fleet.sim)).toHaveLength(writes);
  });
});

describe('the flags of rollouts', () => {
  let fleet: RolloutFleet;
  beforeAll(async () => {
    fleet = await rolloutFleet();
    await fleet.run(['apply', '--yes']);
  });
  afterAll(() => fleet.dispose());

  async function rollouts(flags: Parameters<typeof consoleOf>[1]): Promise<string> {
    const run = await consoleOf(fleet, flags);
    try {
      return await (await fetch(`${run.url}/rollouts`)).text();
    } finally {
      await run.stop();
    }
  }

  it('--rollouts reads another file, and its text is never run', async () => {
    const file = fleet.manager.write('other.yml', HOSTILE_TRACK);
    const body = await rollouts({ rollouts: file, rolloutRecord: fleet.manager.path('none') });
    expect(body).toContain('&lt;script&gt;');
    expect(body).not.toContain('<script>hacked');
  });

  it('a file that cannot be used is an error on the page, not an empty one', async () => {
    const body = await rollouts({ rollouts: fleet.manager.write('bad.yml', 'tracks: [') });
    expect(body).toContain('ROLLOUTS_INVALID');
  });

  it('human decisions are problems with the dates that the file gives them, in every console', async () => {
    const file = fleet.manager.write(
      'decided.yml',
      `${TWO_WAVES}freezes:
- { name: year-end, from: 2024-12-20T00:00:00Z, until: 2025-01-03T00:00:00Z, reason: holidays }
overrules:
- { track: lab, action: pause, at: 2025-02-01T00:00:00Z, until: 2025-02-02T00:00:00Z, reason: INC-1 }
- { track: lab, action: pause, at: 2025-03-01T00:00:00Z, until: 2125-03-01T00:00:00Z, reason: INC-2 }
`,
    );
    fleet.promote('0473914');
    const overviews: object[] = [];
    for (const _ of ['a console', 'another']) {
      const run = await consoleOf(fleet, { rollouts: file, rolloutRecord: fleet.manager.path('none') });
      const { problems } = JSON.parse(await (await fetch(`${run.url}/overview.json`)).text());
      overviews.push(problems.filter(({ href }: { href?: string }) => href?.startsWith('/rollouts')));
      await run.stop();
    }
    const warning = { severity: 'warning', isFirstSeen: false };
    expect(overviews[0]).toMatchObject([
      { ...warning, message: 'the rollout of 0473914 is paused: INC-2', since: '2025-03-01T00:00:00Z' },
      {
        ...warning,
        message: expect.stringContaining('the pause of lab (INC-1) is over'),
        since: '2025-02-02T00:00:00Z',
      },
      { ...warning, message: expect.stringContaining('the freeze year-end (holidays)'), since: '2025-01-03T00:00:00Z' },
    ]);
    expect(overviews[1]).toEqual(overviews[0]);
  });

  it('are accepted on the command line', async () => {
    const { stdout } = await fleet.cli(['console', '--help']);
    for (const flag of [
      '--rollouts <file>',
      '--rollout-record <place>',
      '--prometheus <url>',
      '--prometheus-token-file',
    ])
      expect(stdout).toContain(flag);
  });
});

it('rollouts are decided by the clock of the console, as everything else', async () => {
  const now = (): Date => new Date('2026-03-02T10:00:00Z');
  const fleet = await rolloutFleet({ clock: now });
  await fleet.run(['apply', '--yes']);
  fleet.declare(TWO_WAVES);
  await fleet.pass();
  fleet.promote('0473914');
  await fleet.pass();
  const run = await consoleOf(fleet, { rolloutRecord: fleet.record() }, {}, { now });
  try {
    const days = [...(await (await fetch(`${run.url}/rollouts.json`)).text()).matchAll(/"(\d{4}-\d\d-\d\d)T/g)];
    expect(new Set(days.map(([, day]) => day))).toEqual(new Set(['2026-03-02']));
  } finally {
    await run.stop();
    await fleet.dispose();
  }
});
