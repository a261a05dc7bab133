import { afterEach, describe, expect, it } from 'vitest';
import { json, type LocalHttp, startLocalHttp } from '../../../test/support/local-http.ts';
import { kubeClient, tokenConnection } from '../../clients/kube/index.ts';
import { startSimKube } from '../../sim/index.ts';
import { leaseObject } from './lease-object.ts';
import type { LeaseApi, LeaseRecord } from './term.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** A lease in the cluster at this address. */
async function leaseAt(server: string): Promise<LeaseApi> {
  const connection = tokenConnection({ name: 'lab', server, token: async () => 't' });
  const client = kubeClient(connection, { sleep: async () => {} });
  open.push(client);
  return leaseObject(client, { namespace: 'ns', name: 'manager' });
}

const RECORD: LeaseRecord = {
  holder: 'pod-1_abc',
  acquireTime: new Date('2026-11-15T10:00:00.123Z'),
  renewTime: new Date('2026-11-15T10:00:10.456Z'),
  durationSeconds: 30,
  transitions: 4,
};

describe('a lease in a cluster', () => {
  const simulated = async () => {
    const sim = await startSimKube({ token: 't', namespaces: ['ns'] });
    const api = await leaseAt(sim.url);
    open.push(sim);
    return { sim, api };
  };

  it('is read as it was written, by whoever reads it', async () => {
    const { api, sim } = await simulated();
    expect(await api.read()).toBeUndefined();
    const made = await api.create(RECORD);
    expect(made).toEqual({ ...RECORD, resourceVersion: expect.stringMatching(/^\d+$/) });
    expect(await api.read()).toEqual(made);
    const stored = await fetch(`${sim.url}/apis/coordination.k8s.io/v1/namespaces/ns/leases/manager`, {
      headers: { authorization: 'Bearer t' },
    }).then((response) => response.json());
    expect(stored).toMatchObject({
      spec: {
        holderIdentity: 'pod-1_abc',
        acquireTime: '2026-11-15T10:00:00.123000Z',
        renewTime: '2026-11-15T10:00:10.456000Z',
        leaseDurationSeconds: 30,
        leaseTransitions: 4,
      },
    });
  });

  it('is not taken from whoever was faster', async () => {
    const { api } = await simulated();
    const made = await api.create(RECORD);
    await expect(api.create({ ...RECORD, holder: 'other' })).rejects.toMatchObject({ code: 'KUBE_EXISTS' });
    const renewed = await api.update({ ...made, renewTime: new Date('2026-11-15T10:00:20Z') });
    expect(renewed.resourceVersion).not.toBe(made.resourceVersion);
    await expect(api.update({ ...made, holder: 'other' })).rejects.toMatchObject({ code: 'KUBE_CONFLICT' });
    expect(await api.read()).toMatchObject({ holder: 'pod-1_abc', renewTime: new Date('2026-11-15T10:00:20Z') });
  });

  it('is not changed by a rehearsal, which another renewal does not fail', async () => {
    const { api } = await simulated();
    const made = await api.create(RECORD);
    await api.dryRunUpdate?.({ ...made, holder: 'other' });
    expect(await api.read()).toEqual(made);
    await api.update({ ...made, renewTime: new Date('2026-11-15T10:00:20Z') });
    await api.dryRunUpdate?.(made);
  });

  it.each([403, 503])('that may not be written fails the rehearsal (%i)', async (status) => {
    const server = await startLocalHttp(json(status, { kind: 'Status', message: 'no' }));
    open.push(server);
    await expect((await leaseAt(server.url)).dryRunUpdate?.(RECORD)).rejects.toThrow(String(status));
  });

  it('can be given back, and taken by the next', async () => {
    const { api } = await simulated();
    const made = await api.create(RECORD);
    const free = await api.update({ ...made, holder: '' });
    expect(free.holder).toBe('');
    expect(await api.update({ ...free, holder: 'next', transitions: 5 })).toMatchObject({
      holder: 'next',
      transitions: 5,
    });
  });

  it('that is gone comes back with the next renewal, unless somebody else was faster', async () => {
    const { api } = await simulated();
    const renewed = await api.update({ ...RECORD, resourceVersion: '999999' });
    expect(renewed.resourceVersion).not.toBe('999999');
    expect(await api.read()).toEqual(renewed);
    await expect(api.update({ ...RECORD, resourceVersion: '999999' })).rejects.toMatchObject({ code: 'KUBE_CONFLICT' });
  });
});

describe('what others wrote', () => {
  const stored = async (spec: unknown): Promise<LeaseRecord | undefined> => {
    const server: LocalHttp = await startLocalHttp(
      json(200, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'manager', resourceVersion: '7' },
        spec,
      }),
    );
    const api = await leaseAt(server.url);
    open.push(server);
    return api.read();
  };

  it.each([{}, null, undefined, { holderIdentity: null, renewTime: null, leaseDurationSeconds: null }])(
    'is a lease that nobody holds: %j',
    async (spec) => {
      const record = await stored(spec);
      expect(record).toMatchObject({ holder: '', durationSeconds: 0, transitions: 0, resourceVersion: '7' });
      expect([record?.renewTime.getTime(), record?.acquireTime.getTime()].some(Number.isNaN)).toBe(false);
      expect((record?.renewTime.getTime() ?? 0) < Date.parse('2001-01-02')).toBe(true);
    },
  );

  it('is read to the millisecond', async () => {
    expect(
      await stored({ holderIdentity: 'x', renewTime: '2026-11-15T10:00:10.456789Z', leaseDurationSeconds: 15 }),
    ).toEqual({
      holder: 'x',
      renewTime: new Date('2026-11-15T10:00:10.456Z'),
      acquireTime: new Date('2026-11-15T10:00:10.456Z'),
      durationSeconds: 15,
      transitions: 0,
      resourceVersion: '7',
    });
  });
});

it.each(['read', 'create', 'update'] as const)('a %s ends when the caller has stopped waiting', async (access) => {
  const stop = new AbortController();
  const reason = new Error('no response within 5 s');
  const server = await startLocalHttp(() => stop.abort(reason));
  const api = await leaseAt(server.url);
  open.push(server);
  const act = access === 'read' ? api.read(stop.signal) : api[access](RECORD, stop.signal);
  await expect(act).rejects.toBe(reason);
  expect(server.seen).toHaveLength(1);
});
