import { describe, expect, it } from 'vitest';
import { memoryLeaseApi } from '../../test/support/memory-lease-api.ts';
import { virtualClock } from '../../test/support/virtual-clock.ts';
import { EchelonError } from '../base/index.ts';
import type { LeaseApi, LeaseRecord } from './lease-api.ts';
import { seededRandom } from './random.ts';
import { underLease } from './under-lease.ts';

const START = new Date('2026-01-01T00:00:00Z');
const seconds = (n: number): Date => new Date(START.getTime() + n * 1_000);

function world(api: LeaseApi = memoryLeaseApi()) {
  const clock = virtualClock(START);
  const signal = new AbortController().signal;
  const options = { api, name: 'lab/ns/lease', signal, clock, random: seededRandom(1) };
  return { clock, options };
}

const record = (more: Partial<LeaseRecord>): LeaseRecord => ({
  ...{ holder: 'pod', acquireTime: START, renewTime: START, durationSeconds: 30, transitions: 3, ...more },
});

/** What a run ends with, its clock going on until it has. */
async function ended(run: Promise<unknown>, clock: ReturnType<typeof virtualClock>): Promise<unknown> {
  const told = run.catch((thrown: unknown) => (thrown as EchelonError).code);
  await clock.advance(120_000);
  return told;
}

describe('work under a lease', () => {
  it('runs as its holder, and leaves it free', async () => {
    const api = memoryLeaseApi();
    const { clock, options } = world(api);
    const run = underLease(options, async (leadership) => [leadership.mayWrite(), api.stored()?.holder !== '']);
    expect(await ended(run, clock)).toEqual([true, true]);
    expect(api.stored()?.holder).toBe('');
  });

  it('leaves it free also when the work throws', async () => {
    const api = memoryLeaseApi();
    const { clock, options } = world(api);
    const fault = new EchelonError({ code: 'NO', message: 'no', hint: 'no' });
    expect(
      await ended(
        underLease(options, () => Promise.reject(fault)),
        clock,
      ),
    ).toBe('NO');
    expect(api.stored()?.holder).toBe('');
  });

  it('is refused at once while another renews it', async () => {
    const api = memoryLeaseApi();
    await api.create(record({ renewTime: seconds(-20) }));
    const { options } = world(api);
    await expect(underLease(options, async () => 'worked')).rejects.toMatchObject({ code: 'LEASE_HELD' });
    expect(api.stored()?.holder).toBe('pod');
  });

  it('waits until one that was left behind has expired by its own clock', async () => {
    const api = memoryLeaseApi();
    await api.create(record({ renewTime: seconds(-40) }));
    const { clock, options } = world(api);
    const run = underLease(options, async () => clock.now().getTime() - START.getTime());
    expect(await ended(run, clock)).toBeGreaterThan(30_000);
  });

  it('ends when the lease cannot be written', async () => {
    const denied = new EchelonError({ code: 'KUBE_FORBIDDEN', message: 'forbidden', hint: 'ask' });
    const { clock, options } = world({ ...memoryLeaseApi(), create: () => Promise.reject(denied) });
    expect(
      await ended(
        underLease(options, async () => 'worked'),
        clock,
      ),
    ).toBe('LEASE_UNAVAILABLE');
  });

  it('ends when a holder with another clock renews it', async () => {
    const api = memoryLeaseApi();
    await api.create(record({ renewTime: seconds(-3_600) }));
    const { clock, options } = world(api);
    const run = ended(
      underLease(options, async () => 'worked'),
      clock,
    );
    for (let at = 1; at <= 30; at += 1) {
      clock.sleep(at * 10_000).then(() => api.update({ ...api.stored()!, renewTime: seconds(at * 10 - 3_600) }));
    }
    expect(await run).toBe('LEASE_UNAVAILABLE');
    expect(api.stored()?.holder).toBe('pod');
  });
});
