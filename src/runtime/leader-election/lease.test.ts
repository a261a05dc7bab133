import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type MemoryLeaseApi, memoryLeaseApi } from '../../../test/support/memory-lease-api.ts';
import { type VirtualClock, virtualClock } from '../../../test/support/virtual-clock.ts';
import { EchelonError } from '../../base/index.ts';
import { type SteadyClock, seededRandom } from '../clock.ts';
import type { LogFields, Logger } from '../logs.ts';
import { type LeaderLease, type LeaseOptions, type LeaseRequest, leaderLease, leaseAccess } from './lease.ts';
import type { Leadership, LeaseApi } from './term.ts';

const START = new Date('2026-01-01T00:00:00Z');
const HOUR = 3_600_000;
const seconds = (n: number): number => n * 1000;

interface Candidate {
  readonly lease: LeaderLease;
  readonly stop: AbortController;
  readonly log: string[];
  /** The last leadership. */
  led(): Leadership | undefined;
  mayWrite(): boolean;
}

interface World {
  readonly clock: VirtualClock;
  readonly api: MemoryLeaseApi;
  candidate(name: string, options?: Partial<LeaseOptions>): Candidate;
}

function world(): World {
  const clock = virtualClock(START);
  const api = memoryLeaseApi();
  let seed = 0;
  return {
    clock,
    api,
    candidate: (holder, options = {}) => {
      seed += 1;
      const log: string[] = [];
      const lease = leaderLease({ api, holder, clock, random: seededRandom(seed), logger: noting(log), ...options });
      const stop = new AbortController();
      let leadership: Leadership | undefined;
      lease.acquire(stop.signal).then(
        (won) => {
          leadership = won;
        },
        () => undefined,
      );
      return { lease, stop, log, led: () => leadership, mayWrite: () => leadership?.mayWrite() ?? false };
    },
  };
}

function noting(log: string[]): Logger {
  const note = (message: string, fields: LogFields = {}): void => {
    const why = fields['reason'] ?? fields['holder'] ?? '';
    log.push(`${message} ${String(why).replace(/_.*/, '')}`.trim());
  };
  const logger: Logger = { debug: note, info: note, warn: note, error: note, child: () => logger };
  return logger;
}

/** An API that can be made to hang or fail; what hangs never reaches the other. */
function breakable(api: LeaseApi): LeaseApi & { mode: 'works' | 'hangs' | 'fails' } {
  const through = <T>(work: () => Promise<T>): Promise<T> => {
    if (broken.mode === 'hangs') return new Promise(() => undefined);
    return broken.mode === 'fails' ? Promise.reject(new Error('connection refused')) : work();
  };
  const broken: LeaseApi & { mode: 'works' | 'hangs' | 'fails' } = {
    mode: 'works',
    read: () => through(() => api.read()),
    create: (record) => through(() => api.create(record)),
    update: (record) => through(() => api.update(record)),
  };
  return broken;
}

/** As Kubernetes does it: an update that changes nothing leaves no trace. */
function withoutEmptyUpdates(api: MemoryLeaseApi): LeaseApi {
  return {
    ...api,
    update: async (record) => {
      const stored = api.stored();
      return stored !== undefined && isDeepStrictEqual(record, stored) ? stored : api.update(record);
    },
  };
}

function skewed(clock: SteadyClock, ms: number): SteadyClock {
  return { ...clock, now: () => new Date(clock.now().getTime() + ms) };
}

describe('a lease with one candidate', () => {
  it('is created at once and renewed from then on', async () => {
    const { clock, api, candidate } = world();
    const a = candidate('a');
    await clock.advance(0);
    expect(a.mayWrite()).toBe(true);
    expect(api.stored()).toMatchObject({ holder: a.lease.identity, transitions: 0, durationSeconds: 30 });
    expect(a.lease.identity).toMatch(/^a_[0-9a-f]{16}$/);
    await clock.advance(HOUR);
    expect([a.mayWrite(), a.led()?.signal.aborted]).toEqual([true, false]);
    const { acquireTime, renewTime } = api.stored()!;
    expect([acquireTime.getTime(), renewTime.getTime()]).toEqual([START.getTime(), START.getTime() + HOUR]);
  });

  it('asks no more often than it must', async () => {
    const { clock, api, candidate } = world();
    candidate('a');
    await clock.advance(seconds(99));
    expect(api.stored()?.resourceVersion).toBe('10');
  });

  it('gives the same leadership to who asks again', async () => {
    const { clock, candidate } = world();
    const a = candidate('a');
    await clock.advance(0);
    expect(await a.lease.acquire(a.stop.signal)).toBe(a.led());
  });

  it('is made again when somebody deletes it', async () => {
    const { clock, api, candidate } = world();
    const a = candidate('a');
    await clock.advance(seconds(5));
    api.delete();
    await clock.advance(seconds(20));
    expect([a.mayWrite(), api.stored()?.holder]).toEqual([true, a.lease.identity]);
  });

  it.each([
    [{ durationSeconds: 0 }],
    [{ durationSeconds: 1.5 }],
    [{ durationSeconds: 30, renewEverySeconds: 25 }],
    [{ durationSeconds: 30, renewEverySeconds: 0 }],
  ])('refuses times that cannot work: %j', (options) => {
    expect(() => world().candidate('a', options)).toThrow(expect.objectContaining({ code: 'LEASE_TIMES_INVALID' }));
  });
});

describe('a lease with two candidates', () => {
  it('is held by one, and the other waits', async () => {
    const { clock, candidate } = world();
    const [a, b] = [candidate('a'), candidate('b')];
    await clock.advance(HOUR);
    expect([a.mayWrite(), b.led(), b.log]).toEqual([true, undefined, ['waiting for the lease a']]);
  });

  it('goes to the other at once when it is released', async () => {
    const { clock, api, candidate } = world();
    const [a, b] = [candidate('a'), candidate('b')];
    await clock.advance(seconds(60));
    const released = a.lease.release();
    expect([a.mayWrite(), a.led()?.signal.aborted]).toEqual([false, true]);
    await released;
    expect(api.stored()?.holder).toBe('');
    await clock.advance(seconds(2.4));
    expect([b.mayWrite(), b.led()?.transitions]).toEqual([true, 1]);
  });

  it('goes to the other after its duration when the holder dies, not before', async () => {
    const { clock, candidate, api } = world();
    const dying = breakable(api);
    const a = candidate('a', { api: dying });
    const b = candidate('b');
    await clock.advance(seconds(60));
    dying.mode = 'hangs';
    await clock.advance(seconds(29));
    expect(b.mayWrite()).toBe(false);
    await clock.advance(seconds(15));
    expect([a.mayWrite(), b.mayWrite(), b.led()?.transitions]).toEqual([false, true, 1]);
  });

  it.each([HOUR, -HOUR])('does not care that their clocks differ by %d ms', async (skew) => {
    const { clock, candidate, api } = world();
    const dying = breakable(api);
    const a = candidate('a', { api: dying, clock: skewed(clock, skew) });
    const b = candidate('b');
    await clock.advance(HOUR);
    expect([a.mayWrite(), b.mayWrite()]).toEqual([true, false]);
    dying.mode = 'hangs';
    await clock.advance(seconds(29));
    expect(b.mayWrite()).toBe(false);
    await clock.advance(seconds(15));
    expect([a.mayWrite(), b.mayWrite()]).toEqual([false, true]);
  });

  it('stays with a holder whose wall clock stands still', async () => {
    const { clock, candidate, api } = world();
    const a = candidate('a', { api: withoutEmptyUpdates(api), clock: { ...clock, now: () => START } });
    const b = candidate('b', { api: withoutEmptyUpdates(api) });
    await clock.advance(HOUR);
    expect([a.mayWrite(), b.led()]).toEqual([true, undefined]);
  });

  it('tells two of the same name apart', async () => {
    const { clock, candidate } = world();
    const [a, b] = [candidate('same'), candidate('same')];
    await clock.advance(HOUR);
    expect([a.mayWrite(), b.mayWrite()]).toEqual([true, false]);
  });

  it('respects a holder whose lease somebody deleted', async () => {
    const { clock, candidate, api } = world();
    const dying = breakable(api);
    const a = candidate('a', { api: dying });
    const b = candidate('b');
    await clock.advance(seconds(60));
    dying.mode = 'hangs';
    api.delete();
    while (a.mayWrite()) {
      expect(b.mayWrite()).toBe(false);
      await clock.advance(seconds(1));
    }
    await clock.advance(seconds(30));
    expect(b.mayWrite()).toBe(true);
  });

  it('is not released by who has lost it', async () => {
    const { clock, candidate, api } = world();
    const dying = breakable(api);
    const a = candidate('a', { api: dying });
    const b = candidate('b');
    await clock.advance(seconds(60));
    dying.mode = 'hangs';
    await clock.advance(seconds(60));
    dying.mode = 'works';
    await a.lease.release();
    expect([b.mayWrite(), api.stored()?.holder]).toEqual([true, b.lease.identity]);
  });
});

describe('renewing', () => {
  it('that hangs ends the right to write before the lease can be taken', async () => {
    const { clock, candidate, api } = world();
    const hanging = breakable(api);
    const a = candidate('a', { api: hanging });
    await clock.advance(seconds(60));
    hanging.mode = 'hangs';
    await clock.advance(seconds(24.9));
    expect([a.mayWrite(), a.led()?.signal.aborted]).toEqual([true, false]);
    await clock.advance(seconds(0.1));
    expect([a.led()?.signal.aborted, a.mayWrite()]).toEqual([true, false]);
    expect(a.log).toEqual([
      'lease acquired',
      'cannot read or write lease no response within 5 s',
      'leadership ended the lease was not renewed in time',
    ]);
  });

  it('counts from when it was sent, also when the machine sleeps before the answer', async () => {
    const { clock, candidate, api } = world();
    let slept = 0;
    const sleeping = breakable({
      ...api,
      update: (record) => {
        slept = seconds(12);
        return api.update(record);
      },
    });
    const jumping = { ...clock, now: () => new Date(clock.now().getTime() + slept) };
    const a = candidate('a', { api: sleeping, clock: jumping });
    await clock.advance(seconds(10));
    sleeping.mode = 'hangs';
    await clock.advance(seconds(12.9));
    expect(a.mayWrite()).toBe(true);
    await clock.advance(seconds(0.1));
    expect(a.mayWrite()).toBe(false);
  });

  it('survives errors for a while, and says once that they began and ended', async () => {
    const { clock, candidate, api } = world();
    const failing = breakable(api);
    const a = candidate('a', { api: failing });
    await clock.advance(seconds(60));
    failing.mode = 'fails';
    await clock.advance(seconds(20));
    failing.mode = 'works';
    await clock.advance(seconds(60));
    expect(a.mayWrite()).toBe(true);
    expect(a.log).toEqual(['lease acquired', 'cannot read or write lease', 'lease access restored']);
  });

  it('is told once when it may be read but not written', async () => {
    const { clock, api, candidate } = world();
    const mayNot = () => Promise.reject(new EchelonError({ code: 'FORBIDDEN', message: 'no', hint: 'none' }));
    const a = candidate('a', { api: { ...api, read: api.read, create: mayNot, update: mayNot } });
    await clock.advance(HOUR);
    expect(a.log).toEqual(['cannot read or write lease']);
  });

  it('is rehearsed by a standby until it is known to be possible', async () => {
    const { clock, api, candidate } = world();
    candidate('a');
    await clock.advance(seconds(1));
    const forbidden = new EchelonError({ code: 'FORBIDDEN', message: 'no', hint: 'none' });
    let rehearsals = 0;
    let mayNot = true;
    const dryRunUpdate = async (): Promise<void> => {
      rehearsals += 1;
      if (mayNot) throw forbidden;
    };
    const problems: (string | undefined)[] = [];
    const onAccess: LeaseOptions['onAccess'] = (_request, _outcome, problem) => void problems.push(problem);
    const b = candidate('b', { api: { ...api, dryRunUpdate }, onAccess });
    await clock.advance(seconds(20));
    expect([rehearsals > 5, problems.at(-1), b.log]).toEqual([
      true,
      'no; none',
      ['waiting for the lease a', 'cannot read or write lease'],
    ]);
    mayNot = false;
    await clock.advance(seconds(3));
    const then = rehearsals;
    await clock.advance(HOUR);
    expect([rehearsals, problems.at(-1), b.log.at(-1)]).toEqual([then, undefined, 'lease access restored']);
    expect(api.stored()?.holder).toMatch(/^a_/);
  });

  it('goes on when somebody else touched the record without taking it', async () => {
    const { clock, candidate, api } = world();
    const a = candidate('a');
    await clock.advance(seconds(5));
    await api.update(api.stored()!);
    await clock.advance(HOUR);
    expect([a.mayWrite(), a.log]).toEqual([true, ['lease acquired']]);
  });

  it('goes on when its own write happened although the answer was lost', async () => {
    const { clock, candidate, api } = world();
    let lost = 0;
    const lossy: LeaseApi = {
      ...api,
      update: async (record) => {
        const stored = await api.update(record);
        lost += 1;
        if (lost % 2 === 1) throw new Error('connection reset');
        return stored;
      },
    };
    const a = candidate('a', { api: lossy });
    await clock.advance(HOUR);
    expect(a.mayWrite()).toBe(true);
  });

  it.each([
    { taker: 'b', reason: 'leadership ended the lease was taken by b' },
    { taker: '', reason: 'leadership ended the lease was cleared' },
  ])('ends when the lease was taken by "$taker"', async ({ taker, reason }) => {
    const { clock, candidate, api } = world();
    const a = candidate('a');
    await clock.advance(seconds(5));
    await api.update({ ...api.stored()!, holder: taker });
    await clock.advance(seconds(10));
    expect([a.mayWrite(), a.led()?.signal.aborted, a.log.at(-1)]).toEqual([false, true, reason]);
  });
});

describe('acquiring', () => {
  it('waits until the API can be reached', async () => {
    const { clock, candidate, api } = world();
    const failing = breakable(api);
    failing.mode = 'fails';
    const a = candidate('a', { api: failing });
    await clock.advance(seconds(600));
    expect(a.led()).toBeUndefined();
    failing.mode = 'works';
    await clock.advance(seconds(3));
    expect(a.mayWrite()).toBe(true);
  });

  it.each(['KUBE_EXISTS', 'KUBE_CONFLICT'])('tries again when it lost a race (%s), without complaint', async (code) => {
    const { clock, candidate, api } = world();
    let races = 2;
    const racing: LeaseApi = {
      ...api,
      create: (record) => {
        races -= 1;
        if (races >= 0) throw new EchelonError({ code, message: 'x', hint: 'y' });
        return api.create(record);
      },
    };
    const a = candidate('a', { api: racing });
    await clock.advance(seconds(6));
    expect([a.mayWrite(), a.log]).toEqual([true, ['lease acquired']]);
  });

  it('takes no leadership whose answer came too late to use, but the next', async () => {
    const { clock, candidate, api } = world();
    let slept = 0;
    const sleeping: LeaseApi = {
      ...api,
      create: (record) => {
        slept = HOUR;
        return api.create(record);
      },
    };
    const jumping = { ...clock, now: () => new Date(clock.now().getTime() + slept) };
    const a = candidate('a', { api: sleeping, clock: jumping });
    await clock.advance(0);
    expect([a.led(), api.stored()?.holder]).toEqual([undefined, a.lease.identity]);
    await clock.advance(seconds(2.4));
    expect([a.mayWrite(), a.led()?.transitions, api.stored()?.resourceVersion]).toEqual([true, 0, '2']);
  });

  it('ends with the reason of the abort, at once, and gives back what it may have got', async () => {
    const { clock, api } = world();
    const stop = new AbortController();
    const lossy: LeaseApi = { ...api, create: (record) => api.create(record).then(() => new Promise(() => undefined)) };
    const lease = leaderLease({ api: lossy, holder: 'a', clock, random: seededRandom(1), logger: noting([]) });
    const acquiring = lease.acquire(stop.signal);
    const failed = expect(acquiring).rejects.toBe('SIGTERM');
    await clock.advance(seconds(1));
    stop.abort('SIGTERM');
    await failed;
    expect(api.stored()?.holder).toBe(lease.identity);
    await lease.release();
    expect([api.stored()?.holder, clock.sleeping()]).toEqual(['', 0]);
  });

  it('works again after a release', async () => {
    const { clock, candidate } = world();
    const a = candidate('a');
    await clock.advance(seconds(5));
    await a.lease.release();
    const again = await a.lease.acquire(a.stop.signal);
    expect([again.mayWrite(), again.transitions]).toEqual([true, 1]);
  });

  it('works again after a loss, at once when nobody else took the lease', async () => {
    const { clock, candidate, api } = world();
    const hanging = breakable(api);
    const a = candidate('a', { api: hanging });
    await clock.advance(seconds(5));
    hanging.mode = 'hangs';
    await clock.advance(seconds(60));
    hanging.mode = 'works';
    const again = await a.lease.acquire(a.stop.signal);
    expect([again.mayWrite(), again.transitions, a.mayWrite()]).toEqual([true, 0, false]);
  });
});

describe('releasing', () => {
  it('asks nothing when nothing was ever written', async () => {
    const { clock } = world();
    const api = breakable(memoryLeaseApi());
    api.mode = 'hangs';
    await leaderLease({ api, holder: 'a', clock, random: seededRandom(1), logger: noting([]) }).release();
    expect(clock.steady()).toBe(0);
  });

  it('retries a lost race, and gives up on an API that does not answer', async () => {
    const { clock, candidate, api } = world();
    const racing = breakable(api);
    let races = 2;
    const a = candidate('a', {
      api: {
        ...racing,
        read: () => racing.read(),
        update: async (record) => {
          if (record.holder === '' && races > 0) {
            races -= 1;
            await api.update(api.stored()!);
          }
          return racing.update(record);
        },
      },
    });
    await clock.advance(seconds(5));
    await a.lease.release();
    expect([races, api.stored()?.holder]).toEqual([0, '']);

    await a.lease.acquire(a.stop.signal);
    racing.mode = 'hangs';
    let released = false;
    a.lease.release().then(() => {
      released = true;
    });
    await clock.advance(seconds(5));
    expect([released, a.log.at(-1)]).toEqual([true, 'cannot read or write lease no response within 5 s']);
  });
});

const FORBIDDEN = new EchelonError({ code: 'KUBE_FORBIDDEN', message: 'pod: GET /leases:\n403 no', hint: 'grant it' });

function observed() {
  const log: string[] = [];
  const reports: string[] = [];
  const note = (message: string): void => void log.push(message);
  const logger: Logger = { debug: note, info: note, warn: note, error: note, child: () => logger };
  const access = leaseAccess(logger, (request, outcome, problem) =>
    reports.push(`${request} ${outcome}: ${problem ?? 'none'}`),
  );
  return { access, log, reports };
}

describe('access to a lease', () => {
  it.each<{ given: string; requests: [LeaseRequest, unknown?][]; problem: string; mayWrite: boolean | undefined }>([
    { given: 'it is read', requests: [['read']], problem: 'none', mayWrite: undefined },
    { given: 'it is written', requests: [['read'], ['write']], problem: 'none', mayWrite: true },
    {
      given: 'it cannot be read',
      requests: [['read', FORBIDDEN]],
      ...{ problem: 'pod: GET /leases: 403 no; grant it', mayWrite: undefined },
    },
    { given: 'it can be read again', requests: [['read', 'late'], ['read']], problem: 'none', mayWrite: undefined },
    { given: 'it can only be read', requests: [['read'], ['write', 'no'], ['read']], problem: 'no', mayWrite: false },
    {
      given: 'it cannot be written, and then not be read either',
      requests: [
        ['write', 'no'],
        ['read', 'late'],
      ],
      ...{ problem: 'no', mayWrite: false },
    },
    { given: 'it can be written again', requests: [['write', 'no'], ['write']], problem: 'none', mayWrite: true },
    {
      given: 'nothing responds',
      requests: [
        ['read', 'a'],
        ['write', 'b'],
      ],
      problem: 'b',
      mayWrite: false,
    },
  ])('when $given: $problem', ({ requests, problem, mayWrite }) => {
    const { access, reports } = observed();
    for (const [request, why] of requests) {
      if (why === undefined) access.succeeded(request);
      else access.failed(request, why);
    }
    expect([reports.at(-1)?.split(': ').slice(1).join(': '), access.mayWrite()]).toEqual([problem, mayWrite]);
    expect(reports).toHaveLength(requests.length);
  });

  it('is logged when it is lost and when it is back, not in between', () => {
    const { access, log } = observed();
    for (let round = 0; round < 3; round += 1) access.failed('read', 'late');
    access.succeeded('read');
    access.succeeded('write');
    expect(log).toEqual(['cannot read or write lease', 'lease access restored']);
  });
});
