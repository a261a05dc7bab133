import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ForecastFlags, forecast } from '../support/upgrade-commands.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';
import { type UpgradesCli, upgradesCli } from '../support/upgrades-cli.ts';

const FLEET = upgradeFleet([
  {
    id: 'org-1',
    clusters: [
      member('alpha', { mutexes: 'm' }),
      member('beta', { mutexes: 'm' }),
      member('gamma', { 'soak-days': 2 }),
    ],
  },
  Object.assign({ id: 'org-2', clusters: [member('zeta', { 'soak-days': 5 })] }, { name: 'A <&> B' }),
]);

let cli: UpgradesCli;
beforeEach(async () => {
  cli = await upgradesCli(FLEET);
});
afterEach(() => cli.dispose());

async function foretold(more: Partial<ForecastFlags> = {}) {
  const flags: ForecastFlags = { configFile: 'upgrades.yml', output: 'table', days: 10, every: 10, ...more };
  const code = await forecast(cli.io, flags, cli.clock);
  return { code, ...cli.take() };
}

const upgradeLines = (stdout: string): string[][] =>
  stdout
    .split('\n')
    .filter((line) => /^2026.+Z {3}/.test(line))
    .map((line) => line.split(/ {3,}/).slice(0, 5));

describe('upgrades forecast', () => {
  it('shows which cluster gets which version when, who waits at the end, and what is assumed', async () => {
    const { code, stdout } = await foretold();
    expect(code).toBe(0);
    expect(stdout).toContain('2026-03-02T10:00:00Z to 2026-03-12T10:00:00Z: 4 clusters, 3 upgrades\n');
    expect(upgradeLines(stdout)).toEqual([
      ['2026-03-02T10:07:00Z', 'org-1', 'alpha', '4.18.1', '4.18.3'],
      ['2026-03-02T11:57:00Z', 'org-1', 'beta', '4.18.1', '4.18.3'],
      ['2026-03-03T12:47:00Z', 'org-1', 'gamma', '4.18.1', '4.18.3'],
    ]);
    expect(stdout).toMatch(/A <&> B +zeta +4\.18\.1 +soak +wl has soaked 0 of 5 days/);
    expect(stdout).toContain('- an upgrade of a cluster takes 90 minutes');
    expect(cli.writes()).toEqual([]);
  });

  it('says of a stopped organization why it is, and of a schedule that does not come what is next', async () => {
    const clusters = [member('late', { schedule: '0 8 1 1 *' })];
    const other = await upgradesCli(
      upgradeFleet([
        { id: 'org-1', aus: { 'blocked-versions': '(' }, clusters: [member('alpha')] },
        { id: 'org-2', clusters },
      ]),
    );
    const flags: ForecastFlags = { configFile: 'upgrades.yml', output: 'table', days: 10, every: 10 };
    await forecast(other.io, flags, other.clock);
    const { stdout } = other.take();
    expect(stdout).toMatch(
      /alpha +4\.18\.1 +hold +its organization is stopped: sre-capabilities\.aus\.blocked-versions/,
    );
    expect(stdout).toMatch(/late +4\.18\.1 +schedule +the next slot is 2027-01-01T08:00:00Z/);
    await other.dispose();
  });

  it('stops at the gate of a minor that only another organization is offered so far', async () => {
    const releases = [
      { version: '4.18.{n}', from: 1, count: 3, at: 'day -40', every: '1d' },
      { version: '4.19.1', at: 'day -5' },
    ];
    const other = await upgradesCli(
      upgradeFleet(
        [
          { id: 'org-1', clusters: [member('alpha')] },
          { id: 'org-2', clusters: [member('ahead', { 'soak-days': 99 }, { channel: 'stable-4.19' })] },
        ],
        { versions: { groups: { stable: '0d' }, releases } },
      ),
    );
    const flags: ForecastFlags = { configFile: 'upgrades.yml', output: 'table', days: 3, every: 10, org: ['org-1'] };
    await forecast(other.io, flags, other.clock);
    const { stdout } = other.take();
    await other.dispose();
    expect(upgradeLines(stdout).map(([, , name, , to]) => [name, to])).toEqual([['alpha', '4.18.3']]);
    expect(stdout).toMatch(/alpha +4\.18\.3 +version-gate +not agreed for 4\.19: api\.openshift\.com\/gate-ocp/);
  });

  it('looks no further ahead than two years', async () => {
    await expect(foretold({ days: 10_000 })).rejects.toMatchObject({ code: 'FLAG_INVALID' });
  });

  it('is narrowed by organization, and by days', async () => {
    expect(upgradeLines((await foretold({ org: ['org-2'] })).stdout)).toEqual([]);
    expect(upgradeLines((await foretold({ days: 1 })).stdout)).toHaveLength(2);
    await expect(foretold({ org: ['org-3'] })).rejects.toMatchObject({ code: 'ORGANIZATION_UNKNOWN' });
  });

  it.each([
    { change: 'a label', text: 'clusters: { gamma: { soak-days: 0 } }', moved: ['gamma 4.18.3'] },
    { change: 'a block', text: "blocks: ['3$']", moved: ['alpha 4.18.3', 'alpha 4.18.2'] },
    { change: 'a release', text: 'releases: [{ version: 4.18.9, at: 2026-03-05 }]', moved: ['alpha 4.18.9'] },
    { change: 'an organization', text: "organizations: { org-1: { blocked-versions: '.' } }", moved: ['beta 4.18.3'] },
  ])('shows what $change moves', async ({ text, moved }) => {
    cli.write('what-if.yml', text);
    const { moves } = JSON.parse((await foretold({ whatIf: 'what-if.yml', output: 'json' })).stdout);
    const told = moves.map(({ cluster, version }: { cluster: string; version: string }) => `${cluster} ${version}`);
    expect(told).toEqual(expect.arrayContaining(moved));
  });

  it.each([
    { text: 'clusters: { gama: {} }', code: 'WHAT_IF_UNKNOWN' },
    { text: 'clusters: { gamma: { soak-day: 0 } }', code: 'WHAT_IF_UNKNOWN' },
    { text: "clusters: { gamma: { blocked-versions: '(' } }", code: 'WHAT_IF_INVALID' },
    { text: "blocks: ['(']", code: 'WHAT_IF_INVALID' },
    { text: 'clusters: [gamma]', code: 'WHAT_IF_INVALID' },
    { text: '', code: 'WHAT_IF_INVALID' },
    { text: 'cluster: {}', code: 'WHAT_IF_INVALID' },
    { text: 'releases: [{ version: 4.18 }]', code: 'WHAT_IF_INVALID' },
    { text: 'releases: [{ version: 4.18.9, at: soon }]', code: 'WHAT_IF_INVALID' },
  ])('refuses the what-if $text', async ({ text, code }) => {
    cli.write('what-if.yml', text);
    await expect(foretold({ whatIf: 'what-if.yml' })).rejects.toMatchObject({ code });
  });

  it('makes a calendar with one event for each upgrade', async () => {
    const { stdout } = await foretold({ output: 'ics' });
    expect(stdout.startsWith('BEGIN:VCALENDAR\r\nVERSION:2.0\r\n')).toBe(true);
    expect(stdout.match(/^DTSTART:.+Z\r$/gm)).toEqual([
      'DTSTART:20260302T100700Z\r',
      'DTSTART:20260302T115700Z\r',
      'DTSTART:20260303T124700Z\r',
    ]);
    expect(stdout).toContain('SUMMARY:alpha: 4.18.1 to 4.18.3\r\n');
    expect(stdout.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
  });

  it('draws one row for each cluster, with reasons on hover and text as text', async () => {
    const { stdout } = await foretold({ output: 'svg' });
    expect(stdout.match(/<g>/g)).toHaveLength(4);
    expect(stdout).toContain('<text x="4" y="118">A &lt;&amp;&gt; B/zeta</text>');
    expect(stdout).toMatch(/<title>beta: 4\.18\.1 from .+\n.+ 4\.18\.3: mutex: mutex m is held by alpha/);
    expect(stdout).not.toContain('A <');
  });

  it('shows the same in YAML and Markdown', async () => {
    expect((await foretold({ output: 'yaml' })).stdout).toContain('kind: UpgradeForecast\n');
    expect((await foretold({ output: 'markdown' })).stdout).toContain(
      '| 2026-03-02T10:07:00Z | org-1 | alpha | 4.18.1 | 4.18.3 |',
    );
  });
});
