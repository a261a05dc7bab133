import { describe, expect, it } from 'vitest';
import { observed } from '../../../test/support/observed-organizations.ts';
import { member, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { instantOf } from '../../gates/index.ts';
import type { OrgId } from '../../instance/index.ts';
import { worldApi } from '../../sim/index.ts';
import { discover } from './discovery.ts';
import { readHealth } from './observation.ts';
import type { HealthCheck, HealthProvider } from './ports.ts';

async function clusters() {
  const world = upgradeWorld([{ id: 'org-1', clusters: [member('a', {}, { health: 'unhealthy' }), member('b')] }]);
  const api = worldApi(world);
  const organizations = await observed(api, await discover(api, { serves: () => true, now: () => instantOf(0) }));
  return organizations[0]?.clusters ?? [];
}

const alerts: HealthProvider = { unhealthy: async () => new Map([['b-uuid', 'critical alerts are firing: 2']]) };
const down: HealthProvider = {
  unhealthy: async () => {
    throw new Error('no route to host');
  },
};

const read = async (healthChecks: readonly HealthCheck[], telemeter?: HealthProvider) =>
  readHealth(
    { orgId: 'org-1' as OrgId, healthChecks },
    await clusters(),
    new Map(telemeter === undefined ? [] : [['telemeter', telemeter]]),
  );

describe('health checks', () => {
  it('none says nothing', async () => {
    expect(await read([])).toEqual({ objections: new Map(), states: [], faults: [] });
  });

  it.each([
    {
      given: 'OCM, enforced',
      checks: [{ provider: 'ocm', enforced: true }],
      objections: ['a-uuid'],
      states: ['a-uuid ocm 0', 'b-uuid ocm 1'],
    },
    {
      given: 'OCM, not enforced',
      checks: [{ provider: 'ocm', enforced: false }],
      objections: [],
      states: ['a-uuid ocm 0', 'b-uuid ocm 1'],
    },
    {
      given: 'telemetry, enforced, and OCM',
      checks: [
        { provider: 'telemeter', enforced: true },
        { provider: 'ocm', enforced: false },
      ],
      objections: ['b-uuid'],
      states: ['a-uuid telemeter 1', 'b-uuid telemeter 0', 'a-uuid ocm 0', 'b-uuid ocm 1'],
    },
  ])('object where they are enforced: $given', async ({ checks, objections, states }) => {
    const health = await read(checks, alerts);
    expect([...health.objections.keys()]).toEqual(objections);
    expect(health.states.map(({ uuid, source, healthy }) => `${uuid} ${source} ${Number(healthy)}`)).toEqual(states);
  });

  it.each([
    { given: 'cannot be asked', provider: down, code: 'INTERNAL' },
    { given: 'is not there', provider: undefined, code: 'HEALTH_PROVIDER_MISSING' },
  ])('know of no healthy cluster when the provider $given, and show no state', async ({ provider, code }) => {
    const health = await read([{ provider: 'telemeter', enforced: true }], provider);
    expect([...health.objections]).toEqual([
      ['a-uuid', 'the health check telemeter could not be queried'],
      ['b-uuid', 'the health check telemeter could not be queried'],
    ]);
    expect(health).toMatchObject({ states: [], faults: [{ code }] });
  });

  it('that are not enforced object to nothing when they cannot be asked', async () => {
    expect(await read([{ provider: 'telemeter', enforced: false }], down)).toMatchObject({
      objections: new Map(),
      faults: [{}],
    });
  });
});
