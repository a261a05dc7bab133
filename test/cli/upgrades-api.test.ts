import { describe, expect, it } from 'vitest';
import { ocmUpgradeApi } from '../../src/cli/commands/upgrades/ports.ts';
import { createOcmClient } from '../../src/clients/ocm/index.ts';
import { DEFAULT_CLIENT, manualClock, parseFleet, startSimOcm } from '../../src/sim/index.ts';
import { CONTRACT_FLEET, upgradeApiContract } from '../support/upgrade-api-contract.ts';

async function place(readOnly = false) {
  const fleet = parseFleet(CONTRACT_FLEET);
  const sim = await startSimOcm({ fleet, clock: manualClock(new Date(fleet.start)) });
  const client = createOcmClient({
    env: {},
    url: sim.url,
    tokenUrl: sim.tokenUrl,
    credentials: { kind: 'client-credentials', clientId: DEFAULT_CLIENT.id, clientSecret: DEFAULT_CLIENT.secret },
    readOnly,
  });
  return { api: ocmUpgradeApi(client), world: sim.world, advance: sim.advanceTo, close: sim.close, sim };
}

describe('OCM over HTTP as the scheduler sees it', () => {
  upgradeApiContract(() => place());

  it('refuses every write of a dry run before it is sent: promise P2', async () => {
    const { api, sim, close } = await place(true);
    const target = { kind: 'cluster', clusterId: 'a-id' } as const;
    const log = {
      clusterUuid: 'a-uuid',
      serviceName: 'aus',
      severity: 'Moderate',
      summary: 's',
      description: 'd',
    } as const;
    const writes = [
      () => api.createPolicy(target, { version: '4.18.3', nextRun: '2026-03-02T11:00:00Z' }),
      () => api.deletePolicy(target, 'x'),
      () => api.switchChannel('a-id', 'stable-4.18'),
      () => api.createServiceLog(log),
      () => api.agreeToGate('a-id', 'gate-ocp'),
    ];
    for (const write of writes) await expect(write()).rejects.toMatchObject({ code: 'READ_ONLY' });
    expect(sim.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    await close();
  });
});
