import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/support/property.ts';
import { virtualClock } from '../../test/support/virtual-clock.ts';
import { EchelonError } from '../base/index.ts';
import type { Random } from './clock.ts';
import { createHealth } from './health.ts';
import type { LogFields, Logger } from './logs.ts';
import {
  decidePass,
  type LoopEnd,
  type LoopOptions,
  type PassContext,
  type PassResult,
  pollDelay,
  retryDelay,
  runLoop,
} from './loop.ts';
import { createMetrics } from './metrics.ts';

const OK: PassResult = { code: 0, changed: false };

type Pass = (context: PassContext) => Promise<PassResult>;

interface Given {
  /** What the passes do, in order; the last repeats. */
  readonly passes?: readonly Pass[];
  readonly revision?: (signal: AbortSignal) => Promise<string | undefined>;
  readonly options?: LoopOptions;
  readonly random?: Random;
}

interface Event {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

function eventLog() {
  const events: Event[] = [];
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      void events.push({ level, message, fields });
  const logger: Logger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => logger,
  };
  return { logger, events };
}

/** A loop on a virtual clock; `ran` notes each pass as `reason@second`, with a `+` when it was a full one. */
async function startLoop({ passes = [async () => OK], revision, options, random = () => 0.5 }: Given = {}) {
  const clock = virtualClock(new Date('2026-01-01T00:00:00Z'));
  const metrics = await createMetrics({ integration: 'x', shards: 1, shardId: 0, processMetrics: false });
  const health = createHealth(clock, 1800);
  const stop = new AbortController();
  const { logger, events } = eventLog();
  const ran: string[] = [];
  let running = 0;
  let most = 0;
  const pass: Pass = async (context) => {
    ran.push(`${context.reason}${context.full ? '+' : ''}@${clock.steady() / 1000}`);
    running += 1;
    most = Math.max(most, running);
    try {
      return await passes[Math.min(ran.length, passes.length) - 1]!(context);
    } finally {
      running -= 1;
    }
  };
  let end: LoopEnd | undefined;
  const parts = { pass, unchanged: revision, clock, random, metrics, logger, health, signal: stop.signal, options };
  const done = runLoop(parts).then((ended) => {
    end = ended;
  });
  await clock.advance(0);
  const metric = async (name: string): Promise<string[]> =>
    (await metrics.render()).split('\n').filter((line) => line.startsWith(name));
  return { clock, stop, health, events, ran, done, metric, end: () => end, most: () => most };
}

const thrower =
  (thrown: unknown): Pass =>
  () =>
    Promise.reject(thrown);
const seconds = (n: number): number => n * 1000;

describe('polling', () => {
  it('runs at once, then every minute', async () => {
    const { clock, ran } = await startLoop();
    await clock.advance(seconds(150));
    expect(ran).toEqual(['first+@0', 'poll@60', 'poll@120']);
  });

  it.each([
    { drawn: 0, ran: ['first+@0', 'poll@9', 'poll@18'] },
    { drawn: 1, ran: ['first+@0', 'poll@11'] },
  ])('is spread by a tenth: with $drawn drawn', async ({ drawn, ran: expected }) => {
    const { clock, ran } = await startLoop({ options: { pollSeconds: 10 }, random: () => drawn });
    await clock.advance(seconds(21));
    expect(ran).toEqual(expected);
  });

  it('makes a second full pass at the given time, though nothing changed and a poll is far, and goes on as before', async () => {
    const options = { pollSeconds: 300, secondAfterSeconds: 60 };
    const { clock, ran } = await startLoop({ options, revision: async () => 'a' });
    await clock.advance(seconds(700));
    expect(ran).toEqual(['first+@0', 'second+@60', 'resync+@660']);
  });

  it('makes it at once when the first ends later', async () => {
    let clock: { sleep(ms: number): Promise<void> } | undefined;
    const slow: Pass = async () => {
      await clock?.sleep(seconds(200));
      return OK;
    };
    const options = { pollSeconds: 300, secondAfterSeconds: 60 };
    const loop = await startLoop({ passes: [thrower(new Error('no')), slow, async () => OK], options });
    clock = loop.clock;
    await loop.clock.advance(seconds(250));
    expect(loop.ran).toEqual(['first+@0', 'retry+@5', 'second+@205']);
  });

  it('waits after the end of a pass, so that none overlap', async () => {
    let clock: { sleep(ms: number): Promise<void> } | undefined;
    const slow: Pass = async () => {
      await clock?.sleep(seconds(200));
      return OK;
    };
    const loop = await startLoop({ passes: [async () => OK, slow] });
    clock = loop.clock;
    await loop.clock.advance(seconds(600));
    expect(loop.ran).toEqual(['first+@0', 'poll@60', 'poll@320', 'poll@580']);
    expect(loop.most()).toBe(1);
  });
});

describe('an unchanged instance', () => {
  it('is skipped until it is time for a full pass', async () => {
    const { clock, ran, metric } = await startLoop({ revision: async () => 'a' });
    await clock.advance(seconds(659));
    expect(ran).toEqual(['first+@0', 'resync+@600']);
    expect(await metric('echelon_passes_total')).toEqual([
      'echelon_passes_total{result="ok"} 2',
      'echelon_passes_total{result="failed"} 0',
      'echelon_passes_total{result="skipped"} 9',
    ]);
  });

  it('runs when it changes, and counts a full pass from the last full one', async () => {
    let revision = 'a';
    const { clock, ran } = await startLoop({ revision: async () => revision });
    await clock.advance(seconds(90));
    revision = 'b';
    await clock.advance(seconds(560));
    expect(ran).toEqual(['first+@0', 'changed@120', 'resync+@600']);
  });

  it('that nobody can tell of is passed at every poll, and as a whole when it is time', async () => {
    const { clock, ran } = await startLoop({ options: { pollSeconds: 300 } });
    await clock.advance(seconds(1_250));
    expect(ran).toEqual(['first+@0', 'poll@300', 'resync+@600', 'poll@900', 'resync+@1200']);
  });

  it('runs at every poll while a pass asks for it, with a full one in between when it is time', async () => {
    const underWay = async () => ({ ...OK, revision: 'a', again: true as const });
    const passes = [...Array.from({ length: 12 }, () => underWay), async () => ({ ...OK, revision: 'a' })];
    const { clock, ran } = await startLoop({ revision: async () => 'a', passes });
    await clock.advance(seconds(900));
    const polls = Array.from({ length: 9 }, (_, index) => `poll@${60 * (index + 1)}`);
    expect(ran).toEqual(['first+@0', ...polls, 'resync+@600', 'poll@660', 'poll@720']);
  });

  it('believes the pass about the revision that it acted on', async () => {
    const { clock, ran } = await startLoop({
      revision: async () => 'b',
      passes: [async () => ({ ...OK, revision: 'a' }), async () => ({ ...OK, revision: 'b' })],
    });
    await clock.advance(seconds(200));
    expect(ran).toEqual(['first+@0', 'changed@60']);
  });

  it('is retried after a failure although nothing changed', async () => {
    const { clock, ran } = await startLoop({
      revision: async () => 'a',
      passes: [async () => OK, async () => ({ code: 1, changed: false }), async () => OK],
      options: { resyncSeconds: 60 },
    });
    await clock.advance(seconds(100));
    expect(ran).toEqual(['first+@0', 'resync+@60', 'retry+@65']);
  });

  it.each([
    { given: 'fails', revision: () => Promise.reject(new Error('down')), at: 60 },
    { given: 'hangs', revision: () => new Promise<undefined>(() => undefined), at: 120 },
  ])('cannot be told when the question $given, so a pass runs', async ({ revision, at }) => {
    const { clock, ran } = await startLoop({ revision });
    await clock.advance(seconds(150));
    expect(ran.at(1)).toBe(`poll@${at}`);
  });
});

describe('a pass that fails', () => {
  const failing: Pass = async () => ({ code: 3, changed: false });

  it('is retried ever later, up to the poll, then all is as before', async () => {
    const { clock, ran } = await startLoop({
      passes: [failing, failing, thrower(new Error('x')), failing, failing, async () => OK],
      random: () => 1,
    });
    await clock.advance(seconds(300));
    expect(ran).toEqual(['first+@0', 'retry+@10', 'retry+@30', 'retry+@70', 'retry+@130', 'retry+@190', 'poll@256']);
  });

  it('is logged with its code and hint, and does not end the loop', async () => {
    const error = new EchelonError({ code: 'KUBE_DOWN', message: 'no cluster', hint: 'log in' });
    const { clock, events, end, ran } = await startLoop({ passes: [thrower(error), thrower('text'), failing] });
    await clock.advance(seconds(20));
    expect(events.filter(({ level }) => level === 'error').slice(0, 3)).toEqual([
      { level: 'error', message: 'pass failed', fields: { reason: 'first', failures: 1, error } },
      { level: 'error', message: 'pass failed', fields: { reason: 'retry', failures: 2, error: 'text' } },
      { level: 'error', message: 'pass failed', fields: { reason: 'retry', failures: 3, code: 3 } },
    ]);
    expect(end()).toBeUndefined();
    expect(ran).toEqual(['first+@0', 'retry+@5', 'retry+@15']);
  });

  it('shows in the metrics of the run', async () => {
    const { clock, metric } = await startLoop({ passes: [thrower(new Error('x')), failing] });
    const value = async (name: string) => (await metric(`qontract_reconcile_${name}`))[0]?.split(' ')[1];
    expect([await value('last_run_status'), await value('execution_counter_total')]).toEqual(['1', '1']);
    await clock.advance(seconds(5));
    expect([await value('last_run_status'), await value('execution_counter_total')]).toEqual(['3', '2']);
    expect(await value('last_run_seconds')).toBe('0');
  });

  it('makes the loop live, but not ready', async () => {
    const { clock, health } = await startLoop({ passes: [failing] });
    await clock.advance(seconds(7200));
    expect([health.live().ok, health.ready().ok]).toEqual([true, false]);
  });
});

describe('health', () => {
  it('is ready after a pass, live while nothing changes, and not live while a pass hangs', async () => {
    const hang: Pass = () => new Promise(() => undefined);
    const { clock, health } = await startLoop({
      passes: [async () => OK, hang],
      revision: async () => 'a',
      options: { resyncSeconds: 7200 },
    });
    expect(health.ready().ok).toBe(true);
    await clock.advance(seconds(7199));
    expect(health.live().ok).toBe(true);
    await clock.advance(seconds(1802));
    expect(health.live().ok).toBe(false);
  });
});

describe('one run only', () => {
  it.each([
    { given: 'succeeds', pass: async () => OK, code: 0 },
    { given: 'fails', pass: async () => ({ code: 4, changed: true }), code: 4 },
    { given: 'throws', pass: thrower(new Error('x')), code: 1 },
  ])('that $given ends with $code', async ({ pass, code }) => {
    const { done, end, ran } = await startLoop({
      passes: [pass],
      options: { runOnce: true },
      revision: async () => 'a',
    });
    await done;
    expect([end(), ran]).toEqual([{ code, abandoned: false }, ['first+@0']]);
  });

  it('that was interrupted is not a success', async () => {
    const until: Pass = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { done, end, stop } = await startLoop({ passes: [until], options: { runOnce: true } });
    stop.abort(new Error('SIGTERM'));
    await done;
    expect(end()).toEqual({ code: 1, abandoned: false });
  });
});

describe('a pass with a time limit', () => {
  const untilAborted =
    (finish: Pass): Pass =>
    async (context) => {
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
      return finish(context);
    };

  it.each([
    { given: 'returns', finish: async (): Promise<PassResult> => OK },
    { given: 'throws why it was stopped', finish: ({ signal }: PassContext) => Promise.reject(signal.reason) },
  ])('that is over, and then $given, has failed with 124 and is retried', async ({ finish }) => {
    const { clock, ran, metric, events, end } = await startLoop({
      passes: [untilAborted(finish), async () => OK],
      options: { timeoutSeconds: 100 },
    });
    await clock.advance(seconds(99));
    expect(events).toEqual([]);
    await clock.advance(seconds(1));
    expect(await metric('qontract_reconcile_last_run_status')).toEqual([expect.stringMatching(/ 124$/)]);
    expect(events.at(-1)).toMatchObject({ level: 'error', fields: { code: 124, timeoutSeconds: 100 } });
    await clock.advance(seconds(10));
    expect([ran, end()]).toEqual([['first+@0', 'retry+@105'], undefined]);
  });

  it('that ends in time leaves no timer behind', async () => {
    const { clock, stop, done } = await startLoop({ options: { timeoutSeconds: 1000 } });
    expect(clock.sleeping()).toBe(1);
    stop.abort();
    await done;
    expect(clock.sleeping()).toBe(0);
  });

  it('that is over ends the process if the pass does not listen', async () => {
    const { clock, end } = await startLoop({
      passes: [() => new Promise(() => undefined)],
      options: { timeoutSeconds: 100, graceSeconds: 5 },
    });
    await clock.advance(seconds(104.9));
    expect(end()).toBeUndefined();
    await clock.advance(seconds(0.1));
    expect(end()).toEqual({ code: 1, abandoned: true });
  });

  it('does not count when the shutdown came first', async () => {
    const { clock, stop, done, events, metric } = await startLoop({
      passes: [untilAborted(({ signal }) => clock.sleep(seconds(10)).then(() => Promise.reject(signal.reason)))],
      options: { timeoutSeconds: 100 },
    });
    await clock.advance(seconds(95));
    stop.abort('SIGTERM');
    await clock.advance(seconds(10));
    await done;
    expect([events, await metric('qontract_reconcile_last_run_status{')]).toEqual([[], []]);
  });
});

describe('the end', () => {
  it('comes at once between passes, and leaves nothing behind', async () => {
    const { clock, stop, done, end } = await startLoop();
    await clock.advance(seconds(10));
    stop.abort();
    await done;
    expect([end(), clock.sleeping(), clock.steady()]).toEqual([{ code: 0, abandoned: false }, 0, 10_000]);
  });

  it('comes at once while the revision is asked for', async () => {
    const { stop, done, end, ran } = await startLoop({ revision: () => new Promise(() => undefined) });
    stop.abort();
    await done;
    expect([end()?.code, ran]).toEqual([0, []]);
  });

  it.each([
    { given: 'returns', finish: async (): Promise<PassResult> => OK, status: ['0'] },
    { given: 'throws what it was told', finish: thrower('SIGTERM'), status: [] },
    { given: 'throws as aborted requests do', finish: thrower(new DOMException('x', 'AbortError')), status: [] },
    { given: 'fails with something else', finish: thrower(new Error('x')), status: ['1'] },
  ])('waits for a pass that then $given, and is 0', async ({ finish, status }) => {
    let clock: { sleep(ms: number): Promise<void> } | undefined;
    const slow: Pass = async (context) => {
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
      await clock?.sleep(seconds(20));
      return finish(context);
    };
    const loop = await startLoop({ passes: [slow] });
    clock = loop.clock;
    loop.stop.abort('SIGTERM');
    await loop.clock.advance(seconds(19));
    expect(loop.end()).toBeUndefined();
    await loop.clock.advance(seconds(1));
    expect([loop.end(), loop.clock.sleeping()]).toEqual([{ code: 0, abandoned: false }, 0]);
    expect((await loop.metric('qontract_reconcile_last_run_status')).map((line) => line.split(' ')[1])).toEqual(status);
    expect(loop.events.filter(({ level }) => level === 'error').length).toBe(status[0] === '1' ? 1 : 0);
  });

  it('does not wait forever for a pass that does not listen', async () => {
    const { clock, stop, end, events } = await startLoop({ passes: [() => new Promise(() => undefined)] });
    stop.abort();
    await clock.advance(seconds(24.9));
    expect(end()).toBeUndefined();
    await clock.advance(seconds(0.1));
    expect(end()).toEqual({ code: 1, abandoned: true });
    expect(events.at(-1)).toMatchObject({ level: 'error', fields: { graceSeconds: 25 } });
  });
});

describe('the log of a loop', () => {
  it('tells what is new, and passes that changed nothing only when asked', async () => {
    const { clock, events } = await startLoop({
      passes: [async () => OK, async () => OK, async () => ({ ...OK, changed: true }), async () => OK],
    });
    await clock.advance(seconds(190));
    expect(events.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'info pass completed',
      'debug pass completed',
      'info pass completed',
      'debug pass completed',
    ]);
  });
});

const NEVER = Number.POSITIVE_INFINITY;
const full = (reason: string) => ({ reason, full: true });

describe('whether a pass is due', () => {
  it.each([
    { given: 'nothing has run', memory: { failures: 0 }, revision: 'a', is: full('first') },
    { given: 'the first failed', memory: { failures: 1 }, revision: 'a', is: full('retry') },
    { given: 'nothing changed', memory: { failures: 0, revision: 'a', lastFull: 0 }, revision: 'a', is: 'skip' },
    {
      given: 'something changed',
      memory: { failures: 0, revision: 'a', lastFull: 0 },
      revision: 'b',
      is: { reason: 'changed', full: false },
    },
    { given: 'a failure since', memory: { failures: 2, revision: 'a', lastFull: 0 }, revision: 'a', is: full('retry') },
    {
      given: 'no one can tell',
      memory: { failures: 0, revision: 'a', lastFull: 0 },
      revision: undefined,
      is: { reason: 'poll', full: false },
    },
    {
      given: 'the last was of no revision',
      memory: { failures: 0, lastFull: 0 },
      revision: 'a',
      is: { reason: 'poll', full: false },
    },
    {
      given: 'a long time',
      memory: { failures: 0, revision: 'a', lastFull: -50_000 },
      revision: 'a',
      is: full('resync'),
    },
    {
      given: 'a long time and news',
      memory: { failures: 0, revision: 'a', lastFull: -50_000 },
      revision: 'b',
      is: full('resync'),
    },
  ])('when $given: $is', ({ memory, revision, is }) => {
    expect(decidePass(memory, revision, 50_000, { resyncSeconds: 100, secondAt: NEVER })).toEqual(is);
  });

  it.each([
    { given: 'not yet', secondAt: 50_001, lastFull: 0, is: 'skip' },
    { given: 'now', secondAt: 50_000, lastFull: 0, is: full('second') },
    {
      given: 'now, as the last full one began a moment too early',
      secondAt: 40_000,
      lastFull: 39_999,
      is: full('second'),
    },
    { given: 'done', secondAt: 40_000, lastFull: 40_000, is: 'skip' },
  ])('the second of a leader is due $given: $is', ({ secondAt, lastFull, is }) => {
    const memory = { failures: 0, revision: 'a', lastFull };
    expect(decidePass(memory, 'a', 50_000, { resyncSeconds: 100, secondAt })).toEqual(is);
  });
});

const times = (pollSeconds: number, errorSeconds = 10, secondAt = NEVER) => ({ pollSeconds, errorSeconds, secondAt });

describe('the time until the next pass', () => {
  it.each([
    [0, 54_000],
    [0.5, 60_000],
    [1, 66_000],
  ])('with %d drawn is %d ms', (drawn, ms) => {
    expect(pollDelay(times(60), { failures: 0, lastFull: 0 }, 1_000, () => drawn)).toBe(ms);
  });

  it.each([
    { given: 'the second pass', secondAt: 30_000, lastFull: 0, ms: 20_000 },
    { given: 'the poll', secondAt: 300_000, lastFull: 0, ms: 60_000 },
    { given: 'the poll, once that pass has run', secondAt: 5_000, lastFull: 6_000, ms: 60_000 },
    { given: 'no time, when that pass is overdue', secondAt: 5_000, lastFull: 4_000, ms: 0 },
  ])('lasts until $given', ({ secondAt, lastFull, ms }) => {
    expect(pollDelay(times(60, 10, secondAt), { failures: 0, lastFull }, 10_000, () => 0.5)).toBe(ms);
  });

  it.each([
    { failures: 1, drawn: 1, ms: 10_000 },
    { failures: 1, drawn: 0.5, ms: 5_000 },
    { failures: 2, drawn: 1, ms: 20_000 },
    { failures: 3, drawn: 1, ms: 40_000 },
    { failures: 4, drawn: 1, ms: 60_000 },
    { failures: 2000, drawn: 1, ms: 60_000 },
    { failures: 1, drawn: 0, ms: 1_000 },
  ])('after $failures failures, with $drawn drawn, is $ms ms', ({ failures, drawn, ms }) => {
    expect(retryDelay(times(60), failures, () => drawn)).toBe(ms);
  });

  it('after failures is never above five minutes, nor above the poll', () => {
    expect(retryDelay(times(3600), 50, () => 1)).toBe(300_000);
    const number = fc.double({ min: 0.1, max: 1e5, noNaN: true });
    const drawn = fc.double({ min: 0, max: 1, noNaN: true });
    holds(
      fc.property(number, number, fc.integer({ min: 1, max: 1e4 }), drawn, (poll, error, failures, random) => {
        const delay = retryDelay(times(poll, error), failures, () => random);
        expect(delay).toBeGreaterThan(0);
        expect(delay).toBeLessThanOrEqual(Math.round(Math.min(poll, 300) * 1000));
      }),
    );
  });
});
