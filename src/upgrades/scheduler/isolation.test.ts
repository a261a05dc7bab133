import { describe, expect, it } from 'vitest';
import { type GivenOrganization, member, minutes, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { memoryStateStore } from '../../base/index.ts';
import { simulatedScheduler, type World } from '../../sim/index.ts';

/** Two organizations that depend on each other in nothing, with everything that they may use. */
const GOOD: readonly GivenOrganization[] = [
  {
    id: 'good-1',
    aus: {
      'sector-deps.prod': 'stage',
      'sector-max-parallel-upgrades.prod': '50%',
      'blocked-versions': '^4\\.18\\.2$',
    },
    clusters: [
      member('g1', { sector: 'stage' }),
      member('g2', { sector: 'prod', 'soak-days': 1, mutexes: 'm' }),
      member('g3', { sector: 'prod', 'soak-days': 1, mutexes: 'm' }),
    ],
  },
  { id: 'good-2', clusters: [member('g4', { mutexes: 'm' }), member('g5', { mutexes: 'm' })] },
];

const evil = (aus: Record<string, string>, ...clusters: GivenOrganization['clusters']): GivenOrganization => ({
  id: 'evil',
  aus,
  clusters: clusters.length === 0 ? [member('e1', { mutexes: 'm' }), member('e2', { sector: 'prod' })] : clusters,
});

const manyLabels = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`unknown-${index}`, 'x'.repeat(20)]));

const ring = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`sector-deps.s${index}`, `s${(index + 1) % count}`]));

const EVILS: readonly {
  readonly given: string;
  readonly organization: GivenOrganization;
  readonly stopped: boolean;
}[] = [
  { given: 'a regular expression that is none', organization: evil({ 'blocked-versions': '^4\\.(18' }), stopped: true },
  {
    given: 'a regular expression that backtracks',
    organization: evil({ 'blocked-versions': '(a+)+$' }),
    stopped: false,
  },
  {
    given: 'nested groups on every cluster',
    organization: evil({}, member('e1', { 'blocked-versions': '^((((4+)+)+)+)+$,(x+x+)+y' })),
    stopped: false,
  },
  {
    given: 'a pattern that is far too long',
    organization: evil({ 'blocked-versions': 'a{9}'.repeat(900) }),
    stopped: true,
  },
  { given: 'sectors in a circle', organization: evil({ 'sector-deps.a': 'b', 'sector-deps.b': 'a' }), stopped: true },
  { given: 'a ring of 150 sectors', organization: evil(ring(150)), stopped: true },
  {
    given: 'a cron that never comes',
    organization: evil({}, member('e1', { schedule: '0 0 30 2 *' })),
    stopped: false,
  },
  { given: '10,000 labels', organization: evil(manyLabels(10_000)), stopped: false },
  {
    given: 'a list of 2,000 workloads',
    organization: evil({}, member('e1', { workloads: Array.from({ length: 2_000 }, (_, i) => i).join() })),
    stopped: false,
  },
  {
    given: 'a limit that is none',
    organization: evil({ 'sector-deps.prod': '', 'sector-max-parallel-upgrades.prod': 'many' }),
    stopped: true,
  },
  {
    given: 'a history of somebody who does not publish it',
    organization: evil({ 'version-data.inherit': 'good-1' }),
    stopped: true,
  },
  {
    given: 'names that objects have',
    organization: evil({}, member('e1', { workloads: '__proto__,constructor', mutexes: 'toString', sector: '' })),
    stopped: false,
  },
];

interface Result {
  readonly policies: readonly string[];
  readonly histories: readonly string[];
  readonly logs: readonly string[];
  readonly outcomes: readonly string[];
}

const of = (world: World, prefix: string): Omit<Result, 'histories' | 'outcomes'> => ({
  policies: [...world.state.policies.all()]
    .filter(({ target }) => target.clusterId.startsWith(prefix))
    .map(({ target, version, nextRun }) => `${target.clusterId} ${version} ${new Date(nextRun).toISOString()}`)
    .sort(),
  logs: [...world.state.logs.all()]
    .filter(
      ({ clusterId, serviceName }) => clusterId.startsWith(prefix) && serviceName === 'advanced-upgrade-scheduler',
    )
    .map(({ clusterId, summary }) => `${clusterId} ${summary}`),
});

/** Two days of passes; what became of the good ones, bit by bit. */
async function good(others: readonly GivenOrganization[]): Promise<{ result: Result; world: World; stopped: boolean }> {
  const world = upgradeWorld([...others, ...GOOD]);
  const store = memoryStateStore();
  const scheduler = simulatedScheduler([world], { store });
  const outcomes: string[] = [];
  let stopped = false;
  for (let minute = 0; minute <= 48 * 60; minute += 60) {
    const { organizations } = await scheduler.pass(minutes(minute));
    for (const { outcome, results, faults } of organizations) {
      if (outcome.orgId === 'evil') stopped ||= !('decision' in outcome) || outcome.decision.fault !== undefined;
      else
        outcomes.push(
          ...results.map(({ item, outcome: came }) => `${minute} ${item.action} ${item.clusterId} ${came}`),
        );
      expect(faults).toEqual([]);
    }
  }
  const keys = store
    .keys()
    .filter((key) => key.includes('/good-'))
    .toSorted();
  const histories = await Promise.all(
    keys.map(async (key) => new TextDecoder().decode((await store.read(key))?.value)),
  );
  return { result: { ...of(world, 'g'), histories: withoutIds(histories), outcomes }, world, stopped };
}

/** Ids of policies are numbered through the whole world. */
function withoutIds(histories: readonly string[]): string[] {
  return histories.map((text) => text.replaceAll(/"(?:policy|checksum)":"[^"]*"/g, ''));
}

describe('promise U6: bad labels of one organization change nothing for another', () => {
  it('has something to compare', async () => {
    const { result } = await good([]);
    expect(result.outcomes.length).toBeGreaterThan(4);
    expect(result.histories).toHaveLength(2);
  });

  it.each(EVILS)('not with $given', async ({ organization, stopped }) => {
    const [alone, beside] = [await good([]), await good([organization])];
    expect(beside.result).toEqual(alone.result);
    expect(beside.stopped).toBe(stopped);
  });
});

describe('bad labels of one cluster', () => {
  it.each([
    { given: 'no schedule', aus: { schedule: 'soon' } },
    { given: 'a schedule that never comes', aus: { schedule: '0 0 31 2 *' } },
    { given: 'no regular expression', aus: { 'blocked-versions': '(' } },
    { given: 'a sector that nobody declares', aus: { sector: 'nowhere' } },
    { given: 'negative soak', aus: { 'soak-days': '-1' } },
  ])('hold that cluster only: $given', async ({ aus }) => {
    const world = upgradeWorld([{ id: 'org-1', clusters: [member('bad', aus), member('fine')] }]);
    const { organizations } = await simulatedScheduler([world]).pass();
    expect(organizations.flatMap(({ results }) => results.map(({ item }) => item.clusterId))).toEqual(['fine-id']);
    expect(organizations[0]?.notices.map(({ cluster }) => cluster.name)).toEqual(['bad']);
  });

  it('do not let production overtake a broken canary', async () => {
    const aus = { 'sector-deps.prod': 'stage' };
    const clusters = [member('canary', { sector: 'stage', schedule: 'soon' }), member('prod', { sector: 'prod' })];
    const world = upgradeWorld([{ id: 'org-1', aus, clusters }]);
    const { organizations } = await simulatedScheduler([world]).pass();
    expect(organizations[0]?.results).toEqual([]);
    expect(organizations[0]?.outcome).toMatchObject({
      decision: { verdicts: [{ clusterId: 'prod-id', waitsFor: 'sector' }] },
    });
  });
});
