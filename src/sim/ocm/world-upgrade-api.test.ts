import { describe, expect, it } from 'vitest';
import { CONTRACT_FLEET, upgradeApiContract } from '../../../test/support/upgrade-api-contract.ts';
import { parseFleet } from './fleet/read-fleet.ts';
import { createWorld } from './world/world.ts';
import { type WorldCall, worldApi } from './world-upgrade-api.ts';

const world = () => createWorld(parseFleet(CONTRACT_FLEET));

describe('a world as the scheduler sees it', () => {
  upgradeApiContract(async () => {
    const own = world();
    const advance = async (moment: Date): Promise<void> => own.advanceTo(moment);
    return { api: worldApi(own), world: own, advance, close: async () => undefined };
  });

  it('reads all pages', async () => {
    const small = createWorld(parseFleet(CONTRACT_FLEET), 1, { limits: { pageSize: 2 } });
    expect((await worldApi(small).listLabels('sre-capabilities.aus.')).items).toHaveLength(17);
  });
});

describe('what stands between', () => {
  it('sees every call, may answer it, and may let it happen without an answer', async () => {
    const own = world();
    const calls: WorldCall[] = [];
    const api = worldApi(own, (call, act) => {
      calls.push(call);
      if (call.name === 'organizationNames') return new Map([['x', 'y']]);
      act();
      throw new Error('no answer in time');
    });
    expect(await api.organizationNames([])).toEqual(new Map([['x', 'y']]));
    await expect(api.switchChannel('d-id', 'stable-4.18')).rejects.toThrow('no answer in time');
    expect(own.cluster('d').channel).toBe('stable-4.18');
    expect(calls).toEqual([
      { name: 'organizationNames', args: [[]] },
      { name: 'switchChannel', args: ['d-id', 'stable-4.18'] },
    ]);
  });
});
