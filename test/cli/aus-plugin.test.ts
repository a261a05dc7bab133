import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AusCli, ausCli } from '../support/aus-cli.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';

const OCP = 'api.openshift.com/gate-ocp';
const FOREIGN = { 'team.example.com/owner': 'payments' };
const OLD = { blocked: '^4\\.17', mutexes: 'm1', 'version-gate-approvals': OCP };

const FLEET = upgradeFleet(
  [
    Object.assign(
      {
        id: 'org-1',
        aus: { 'blocked-versions': '^a$,^b$', 'sector-deps.prod': 'stage,qa', 'version-data.inherit': 'org-7' },
        clusters: [
          { ...member('bare', {}, { labels: FOREIGN, version: '4.18.1', channel: 'stable-4.19' }), aus: {} },
          member('old', { mutexes: OLD.mutexes, 'blocked-versions': OLD.blocked, 'version-gate-approvals': OCP }),
        ],
      },
      { labels: FOREIGN },
    ),
    { id: 'org-2', clusters: [{ ...member('other'), aus: {} }] },
  ],
  {
    versions: { releases: ['4.18.1', '4.18.2', '4.19.1'].map((version) => ({ version, at: 'day -40' })) },
    gates: [{ id: 'g-19', version: '4.19', label: OCP }],
  },
);

let cli: AusCli;
beforeEach(async () => {
  cli = await ausCli(FLEET);
});
afterEach(() => cli.dispose());

const DOCUMENT = JSON.stringify([
  {
    ...{ name: 'bare', schedule: '0 8 * * 1-5', workloads: ['a', 'b'] },
    conditions: { soak_days: 3, sector: 'prod', mutexes: ['m'], blocked_versions: ['^x$', '^y$'] },
  },
]);
const BARE = { ...FOREIGN, schedule: '0 8 * * 1-5', 'soak-days': '3', workloads: 'a,b' };
const FULL = { ...BARE, 'blocked-versions': '^x$,^y$', mutexes: 'm', sector: 'prod' };
const ORGANIZATION = {
  ...FOREIGN,
  'blocked-versions': '^a$,^b$',
  'sector-deps.prod': 'stage,qa',
  'version-data.inherit': 'org-7',
};
const without = (labels: Record<string, string>, ...keys: readonly string[]) =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => !keys.includes(key)));

/** Verbs and flags of the existing plugin, and the labels that it would leave. */
describe('every writing command of the plugin', () => {
  it.each<{ does: string; command: string; stdin?: string; owner: string; labels: Record<string, string> }>([
    {
      does: 'apply policies, all flags by their names',
      command:
        'apply policies --cluster-name bare --schedule 0_8_*_*_1-5 --workload a --workload b --soak-days 3 ' +
        '--sector prod --mutex m --blocked-versions ^x$ --blocked-versions ^y$',
      ...{ owner: 'bare-sub', labels: FULL },
    },
    {
      does: 'apply policies, all flags by their letters',
      command: 'apply policies -c bare -s 0_8_*_*_1-5 -w a -w b -d 3 --sector prod -m m -b ^x$ -b ^y$',
      ...{ owner: 'bare-sub', labels: FULL },
    },
    { does: 'apply policies -', command: 'apply policies -', stdin: DOCUMENT, owner: 'bare-sub', labels: FULL },
    {
      does: 'apply policies with a preset',
      command: 'apply policies -c bare -s weekdays -w a',
      owner: 'bare-sub',
      labels: { ...FOREIGN, schedule: '* * * * 1-4', 'soak-days': '0', workloads: 'a' },
    },
    {
      does: 'apply policies over an old one: what it does not say goes, approvals of gates stay',
      command: 'apply policies -c old -s anytime -w a',
      owner: 'old-sub',
      labels: { schedule: '* * * * *', 'soak-days': '0', 'version-gate-approvals': OCP, workloads: 'a' },
    },
    {
      does: 'apply policies of another organization',
      command: 'apply policies --org-id org-2 -c other -s anytime -w a',
      owner: 'other-sub',
      labels: { schedule: '* * * * *', 'soak-days': '0', workloads: 'a' },
    },
    { does: 'apply policies --dry-run', command: 'apply policies -c bare -s anytime -w a --dry-run', ...untouched() },
    { does: 'apply policies --dump', command: 'apply policies -c bare -s anytime -w a --dump', ...untouched() },
    { does: 'delete policy', command: 'delete policy --cluster-name old', owner: 'old-sub', labels: {} },
    { does: 'delete policy of nothing', command: 'delete policy -c bare', ...untouched() },
    {
      does: 'apply version-blocks, both ways',
      command: 'apply version-blocks --block-version ^c$ --unblock-version ^a$',
      ...organization({ 'blocked-versions': '^b$,^c$' }),
    },
    {
      does: 'apply version-blocks -, which adds',
      ...{ command: 'apply version-blocks -', stdin: '["^c$"]' },
      ...organization({ 'blocked-versions': '^a$,^b$,^c$' }),
    },
    {
      does: 'apply version-blocks - --replace',
      ...{ command: 'apply version-blocks - --replace', stdin: '["^c$"]' },
      ...organization({ 'blocked-versions': '^c$' }),
    },
    {
      does: 'apply version-blocks, the last one unblocked',
      command: 'apply version-blocks -u ^a$ -u ^b$',
      ...organization({ 'blocked-versions': '' }),
    },
    {
      does: 'apply sectors, all flags',
      command: 'apply sectors --add-dep qa=dev --remove-dep prod=qa --sector-max-parallel-upgrades prod=50%',
      ...organization({
        'sector-deps.prod': 'stage',
        'sector-deps.qa': 'dev',
        'sector-max-parallel-upgrades.prod': '50%',
      }),
    },
    {
      does: 'apply sectors - --replace',
      ...{
        command: 'apply sectors - --replace',
        stdin: '[{"name":"a","dependencies":["b"],"maxParallelUpgrades":"2"}]',
      },
      owner: 'org-1',
      labels: {
        ...without(ORGANIZATION, 'sector-deps.prod'),
        'sector-deps.a': 'b',
        'sector-max-parallel-upgrades.a': '2',
      },
    },
    {
      does: 'apply inheritance, both flags',
      command: 'apply inheritance --inherit-from org-8 --publish-to org-9',
      ...organization({ 'version-data.inherit': 'org-7,org-8', 'version-data.publish': 'org-9' }),
    },
    {
      does: 'apply inheritance - --replace',
      ...{ command: 'apply inheritance - --replace', stdin: '{"publish":["org-9"]}' },
      owner: 'org-1',
      labels: { ...without(ORGANIZATION, 'version-data.inherit'), 'version-data.publish': 'org-9' },
    },
  ])('$does', async ({ command, stdin, owner, labels }) => {
    const args = command.split(' ').map((word) => word.replaceAll('_', ' '));
    const { code, stderr } = await cli.run(['--backend', 'ocmlabels', ...args], stdin);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(cli.labels(owner)).toEqual(labels);
  });

  it('apply gate-agreement', async () => {
    expect((await cli.run(['apply', 'gate-agreement', '--cluster-name', 'bare', '--version', '4.19'])).code).toBe(0);
    expect([...cli.sim.world.state.agreements.all()]).toMatchObject([{ clusterId: 'bare-id', gateId: 'g-19' }]);
  });
});

describe('every reading command of the plugin', () => {
  it.each([
    { command: 'get policies', shows: '"name": "old"' },
    { command: 'get version-blocks', shows: '"^a$"' },
    { command: 'get sectors', shows: '"name": "prod"' },
    { command: 'get gates', shows: 'bare' },
    { command: 'status', shows: 'old' },
    { command: 'status --show-all-clusters', shows: 'bare' },
    { command: 'get policies -o org-2', shows: '[]' },
  ])('$command', async ({ command, shows }) => {
    const { code, stdout } = await cli.run(command.split(' '));
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(shows) });
    expect(cli.writes()).toEqual([]);
  });
});

function untouched() {
  return { owner: 'bare-sub', labels: FOREIGN };
}

function organization(changed: Record<string, string>) {
  return { owner: 'org-1', labels: { ...ORGANIZATION, ...changed } };
}
