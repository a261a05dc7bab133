import { describe, expect, it } from 'vitest';
import { member, upgradeFleet } from '../../../test/support/upgrade-world.ts';
import { memoryStateStore } from '../../base/index.ts';
import type { OrgId } from '../../instance/index.ts';
import { createWorlds, type Intercept, parseFleet, simulatedScheduler, worldApi } from '../../sim/index.ts';
import { DEFAULT_RULES } from '../engine/rules.ts';
import { createScheduler } from './scheduler.ts';
import type { Site } from './site.ts';

const FLEET = parseFleet({
  ...upgradeFleet([]),
  environments: [
    {
      name: 'prod',
      organizations: [
        {
          id: 'heir',
          name: 'heir',
          aus: { 'version-data.inherit': 'source' },
          clusters: [member('h', { 'soak-days': 2 })],
        },
        { id: 'loner', name: 'loner', clusters: [member('l')] },
      ],
    },
    {
      name: 'stage',
      organizations: [
        {
          id: 'source',
          name: 'source',
          aus: { 'version-data.publish': 'heir' },
          clusters: [member('s', {}, { version: '4.18.3' })],
        },
      ],
    },
  ],
});

const down: Intercept = () => {
  throw new Error('no route to host');
};

/** Serves prod; stage is a neighbour. */
function parts() {
  const worlds = createWorlds(FLEET);
  const store = memoryStateStore();
  const faults = new Map<string, Intercept>();
  const asked: string[] = [];
  const site = (name: string): Site => {
    const world = worlds.get(name);
    if (world === undefined) throw new Error(`no ${name}`);
    const api = worldApi(world, (call, act) => {
      asked.push(`${name} ${call.name}`);
      return (faults.get(name) ?? ((_, go) => go()))(call, act);
    });
    const serves = (orgId: string) => ({ orgId: orgId as OrgId, name: orgId, healthChecks: [] });
    return { name, connect: async () => api, serves, health: new Map() };
  };
  const clock = { now: () => worlds.get('prod')?.now() ?? new Date(0) };
  const scheduler = createScheduler({ integration: 'advanced-upgrade-scheduler', store, rules: DEFAULT_RULES, clock });
  const pass = (minute = 0) => {
    for (const world of worlds.values()) world.advanceTo(new Date(FLEET.start + minute * 60_000));
    return scheduler.pass({ sites: [site('prod')], neighbours: [site('stage')] });
  };
  return { worlds, store, faults, asked, pass };
}

const soak = (days: number): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({
      check_in: '2026-03-02T09:00:00Z',
      versions: { '4.18.3': { workloads: { wl: { soak_days: days, reporting: ['s'] } } } },
      stats: { min_version: '4.18.3', min_version_per_workload: { wl: '4.18.3' } },
    }),
  );

describe('an organization that inherits', () => {
  it('is served from the history of an organization in another environment, which itself is not served', async () => {
    const { store, pass } = parts();
    await store.write('advanced-upgrade-scheduler/stage/source', soak(3), 'absent');
    const { organizations } = await pass();
    expect(organizations.flatMap(({ results }) => results.map(({ item }) => item.clusterId))).toEqual(['h-id', 'l-id']);
  });

  it('costs one list of the neighbour, and nothing where nobody inherits', async () => {
    const { asked, pass, worlds } = parts();
    await pass();
    expect(asked.filter((call) => call.startsWith('stage'))).toEqual(['stage listLabels']);
    worlds
      .get('prod')
      ?.setLabel({ type: 'Organization', id: 'heir' }, 'sre-capabilities.aus.version-data.inherit', null);
    asked.length = 0;
    await pass(1);
    expect(asked.filter((call) => call.startsWith('stage'))).toEqual([]);
  });

  it('waits, and is not blamed, when the neighbour was never reached; others do not wait', async () => {
    const { faults, pass, worlds } = parts();
    faults.set('stage', down);
    const { organizations } = await pass();
    expect(organizations).toMatchObject([
      { outcome: { orgId: 'heir', skipped: [{ code: 'INHERITANCE_UNKNOWN' }] } },
      { outcome: { orgId: 'loner' }, results: [{ outcome: 'done' }] },
    ]);
    expect([...(worlds.get('prod')?.state.logs.all() ?? [])]).toEqual([]);
  });

  it('goes on with what was last known of the neighbour', async () => {
    const { store, faults, pass } = parts();
    await pass();
    faults.set('stage', down);
    await store.write('advanced-upgrade-scheduler/stage/source', soak(3), 'absent');
    const { organizations } = await pass(1);
    expect(organizations.flatMap(({ results }) => results.map(({ item }) => item.clusterId))).toEqual(['h-id']);
  });

  it('is told when the other does not publish to it, and stops', async () => {
    const { pass, worlds } = parts();
    worlds
      .get('stage')
      ?.setLabel({ type: 'Organization', id: 'source' }, 'sre-capabilities.aus.version-data.publish', 'x');
    const { organizations } = await pass();
    expect(organizations[0]).toMatchObject({
      outcome: {
        decision: { fault: expect.stringContaining('no history published to this organization by source') },
      },
      notices: [{ summary: 'AUS configuration error on organization' }],
    });
  });

  it('stops when the inherited history is corrupt', async () => {
    const { store, pass } = parts();
    await store.write('advanced-upgrade-scheduler/stage/source', new TextEncoder().encode('{'), 'absent');
    const { organizations } = await pass();
    expect(organizations[0]?.outcome).toMatchObject({ skipped: [{ code: 'STATE_CORRUPT' }] });
  });

  it('is served in one pass with its source, where both are served', async () => {
    const worlds = [...createWorlds(FLEET).values()];
    const { organizations } = await simulatedScheduler(worlds).pass();
    expect(organizations.map(({ outcome }) => outcome.orgId)).toEqual(['heir', 'loner', 'source']);
    expect(organizations[0]?.outcome).toMatchObject({ spec: { inherit: [{ environment: 'stage', orgId: 'source' }] } });
  });
});
