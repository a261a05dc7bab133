import { describe, expect, it } from 'vitest';
import { memoryLeaseApi } from '../../../test/support/memory-lease-api.ts';
import { virtualClock } from '../../../test/support/virtual-clock.ts';
import { EchelonError } from '../../base/index.ts';
import { seededRandom } from '../clock.ts';
import { createHealth } from '../health.ts';
import { silentLogger } from '../logs.ts';
import type { LoopEnd } from '../loop.ts';
import { type AsLeader, runAsLeader, withHeldLease } from './leader.ts';
import { leaderLease } from './lease.ts';
import type { Leadership, LeaseApi, LeaseRecord } from './term.ts';

const DONE: LoopEnd = { code: 0, abandoned: false };
const seconds = (n: number): number => n * 1000;

/** Processes that lead in turn, with one lease and one clock. */
function world() {
  const clock = virtualClock(new Date('2026-01-01T00:00:00Z'));
  const api = memoryLeaseApi();
  let seed = 0;
  const start = (run: AsLeader['run'], options: Partial<AsLeader> = {}) => {
    seed += 1;
    const stop = new AbortController();
    const health = createHealth(clock);
    const lease = leaderLease({ api, holder: `p${seed}`, clock, random: seededRandom(seed), logger: silentLogger });
    let end: LoopEnd | undefined;
    let thrown: unknown;
    runAsLeader({ lease, signal: stop.signal, health, logger: silentLogger, run, ...options }).then(
      (ended) => {
        end = ended;
      },
      (error: unknown) => {
        thrown = error;
      },
    );
    return { stop, health, lease, end: () => end, thrown: () => thrown };
  };
  return { clock, api, start };
}

/** Works until it is told to end; notes when it begins and ends. */
function worker(name: string, notes: string[], end: LoopEnd = DONE): AsLeader['run'] {
  return async (_leadership, signal) => {
    notes.push(`${name} begins`);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    notes.push(`${name} ends`);
    return end;
  };
}

describe('running as leader', () => {
  it('works while the other stands by, ready, and hands over when it ends', async () => {
    const { clock, api, start } = world();
    const notes: string[] = [];
    const [one, two] = [start(worker('one', notes)), start(worker('two', notes))];
    await clock.advance(seconds(100));
    expect(notes).toEqual(['one begins']);
    expect([one.health.ready().ok, two.health.ready()]).toEqual([false, { ok: true, reason: 'waiting for the lease' }]);
    one.stop.abort();
    await clock.advance(seconds(3));
    expect([notes, one.end()]).toEqual([['one begins', 'one ends', 'two begins'], DONE]);
    two.stop.abort();
    await clock.advance(0);
    expect([two.end(), api.stored()?.holder, clock.sleeping()]).toEqual([DONE, '', 0]);
  });

  it('gives the lease back when the work ends by itself', async () => {
    const { clock, api, start } = world();
    const { end } = start(async () => ({ code: 4, abandoned: false }));
    await clock.advance(0);
    expect([end(), api.stored()?.holder]).toEqual([{ code: 4, abandoned: false }, '']);
  });

  it('stands by again after a loss, and works again', async () => {
    const { clock, api, start } = world();
    const notes: string[] = [];
    const { end, health } = start(worker('one', notes));
    await clock.advance(seconds(1));
    await api.update({ ...api.stored()!, holder: 'other' });
    await clock.advance(seconds(15));
    expect([notes, health.ready().reason]).toEqual([['one begins', 'one ends'], 'waiting for the lease']);
    await clock.advance(seconds(40));
    expect([notes, end()]).toEqual([['one begins', 'one ends', 'one begins'], undefined]);
  });

  it('leaves the lease to expire, and may not write, when the work may still run', async () => {
    const { clock, api, start } = world();
    let leadership: Leadership | undefined;
    const stubborn = worker('one', [], { code: 1, abandoned: true });
    const { stop, end, lease } = start((leads, signal) => {
      leadership = leads;
      return stubborn(leads, signal);
    });
    await clock.advance(seconds(1));
    expect(leadership?.mayWrite()).toBe(true);
    stop.abort();
    await clock.advance(seconds(1));
    expect([end(), leadership?.mayWrite()]).toEqual([{ code: 1, abandoned: true }, false]);
    expect([api.stored()?.holder, clock.sleeping()]).toEqual([lease.identity, 0]);
  });

  it('gives the lease back when the work throws, and throws too', async () => {
    const { clock, api, start } = world();
    const { thrown } = start(() => Promise.reject(new Error('a bug')));
    await clock.advance(0);
    expect([thrown(), api.stored()?.holder]).toEqual([new Error('a bug'), '']);
  });

  it.each([
    { runOnce: false, code: 0 },
    { runOnce: true, code: 1 },
  ])('that ends while standing by (runOnce $runOnce) is $code', async ({ runOnce, code }) => {
    const { clock, start } = world();
    const notes: string[] = [];
    start(worker('one', notes));
    const two = start(worker('two', notes), { runOnce });
    await clock.advance(seconds(10));
    two.stop.abort();
    await clock.advance(0);
    expect([two.end(), notes]).toEqual([{ code, abandoned: false }, ['one begins']]);
  });
});

const START = new Date('2026-01-01T00:00:00Z');

const wallTime = (n: number): Date => new Date(START.getTime() + n * 1_000);

function command(api: LeaseApi = memoryLeaseApi()) {
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
    const { clock, options } = command(api);
    const run = withHeldLease(options, async (leadership) => [leadership.mayWrite(), api.stored()?.holder !== '']);
    expect(await ended(run, clock)).toEqual([true, true]);
    expect(api.stored()?.holder).toBe('');
  });

  it('leaves it free also when the work throws', async () => {
    const api = memoryLeaseApi();
    const { clock, options } = command(api);
    const fault = new EchelonError({ code: 'NO', message: 'no', hint: 'no' });
    expect(
      await ended(
        withHeldLease(options, () => Promise.reject(fault)),
        clock,
      ),
    ).toBe('NO');
    expect(api.stored()?.holder).toBe('');
  });

  it('is refused at once while another renews it', async () => {
    const api = memoryLeaseApi();
    await api.create(record({ renewTime: wallTime(-20) }));
    const { options } = command(api);
    await expect(withHeldLease(options, async () => 'worked')).rejects.toMatchObject({ code: 'LEASE_HELD' });
    expect(api.stored()?.holder).toBe('pod');
  });

  it('waits until one that was left behind has expired by its own clock', async () => {
    const api = memoryLeaseApi();
    await api.create(record({ renewTime: wallTime(-40) }));
    const { clock, options } = command(api);
    const run = withHeldLease(options, async () => clock.now().getTime() - START.getTime());
    expect(await ended(run, clock)).toBeGreaterThan(30_000);
  });

  it('ends when the lease cannot be written', async () => {
    const denied = new EchelonError({ code: 'KUBE_FORBIDDEN', message: 'forbidden', hint: 'ask' });
    const { clock, options } = command({ ...memoryLeaseApi(), create: () => Promise.reject(denied) });
    expect(
      await ended(
        withHeldLease(options, async () => 'worked'),
        clock,
      ),
    ).toBe('LEASE_UNAVAILABLE');
  });

  it('ends when a holder with another clock renews it', async () => {
    const api = memoryLeaseApi();
    await api.create(record({ renewTime: wallTime(-3_600) }));
    const { clock, options } = command(api);
    const run = ended(
      withHeldLease(options, async () => 'worked'),
      clock,
    );
    for (let at = 1; at <= 30; at += 1) {
      clock.sleep(at * 10_000).then(() => api.update({ ...api.stored()!, renewTime: wallTime(at * 10 - 3_600) }));
    }
    expect(await run).toBe('LEASE_UNAVAILABLE');
    expect(api.stored()?.holder).toBe('pod');
  });
});
