import { describe, expect, it } from 'vitest';
import { kubeClient, tokenConnection } from '../../clients/kube/index.ts';
import { startSimKube } from '../../sim/index.ts';
import { removalsInLease, removalsInProcess } from './stored-removals.ts';

const NOW = () => 7;

describe('the deletions of the last hour', () => {
  it('are remembered in the process', async () => {
    const memory = removalsInProcess(NOW);
    expect(await memory.read()).toBeUndefined();
    await memory.write('one');
    expect([await memory.read(), memory.now()]).toEqual(['one', 7]);
  });

  it('are remembered in a cluster, and never over what another manager wrote since', async () => {
    const sim = await startSimKube({ token: 't', namespaces: ['ns'] });
    const client = kubeClient(tokenConnection({ name: 'lab', server: sim.url, token: async () => 't' }));
    try {
      const [first, second] = [1, 2].map(() => removalsInLease(client, { namespace: 'ns', name: 'manager' }, NOW));
      expect([await first?.read(), await second?.read()]).toEqual([undefined, undefined]);
      await first?.write('one');
      await expect(second?.write('two')).rejects.toMatchObject({ code: 'KUBE_EXISTS' });
      expect([await first?.read(), await second?.read()]).toEqual(['one', 'one']);
      await second?.write('two');
      await expect(first?.write('three')).rejects.toMatchObject({ code: 'KUBE_CONFLICT' });
      expect(await first?.read()).toBe('two');
      expect(await client.get({ kind: 'Lease', namespace: 'ns', name: 'manager' })).toBeUndefined();
    } finally {
      client.close();
      await sim.close();
    }
  });
});
