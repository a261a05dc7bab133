import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type MemoryLeaseApi, memoryLeaseApi } from '../../test/support/memory-lease-api.ts';
import { EchelonError } from '../base/index.ts';
import { hostIntegration, type IntegrationRunner, type OpenIntegration } from './host.ts';
import type { LeaseApi } from './leader-election/term.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Started {
  readonly stop: AbortController;
  readonly log: () => string;
  readonly runner: () => IntegrationRunner<never> | undefined;
  readonly reasons: string[];
  readonly ended: Promise<number>;
}

/** An integration on a poll of five minutes whose instance never changes. */
function start(lease: LeaseApi | undefined): Started {
  const stop = new AbortController();
  const reasons: string[] = [];
  let log = '';
  let runner: IntegrationRunner<never> | undefined;
  const stdout = {
    write: (text: string) => {
      log += text;
    },
  };
  const flags = { poll: 300, metricsPort: 0, metricsHost: '127.0.0.1' };
  const ended = hostIntegration({ env: {}, stdout, signal: stop.signal }, 'x', flags, async (given) => {
    runner = given as unknown as IntegrationRunner<never>;
    const integration: OpenIntegration = {
      pass: async ({ reason, full }, mayWrite) => {
        reasons.push(`${reason}${full ? '+' : ''}${mayWrite() ? '' : ' may not write'}`);
        return { code: 0, changed: false, revision: 'a' };
      },
      unchanged: async () => 'a',
      lease,
      close: () => undefined,
    };
    return integration;
  });
  return { stop, reasons, ended, log: () => log, runner: () => runner };
}

/** Until the server listens and the loop has begun, which takes real time, and then so many seconds. */
async function pass({ log }: Started, seconds: number): Promise<void> {
  while (!log().includes('integration started')) await new Promise((resolve) => setImmediate(resolve));
  await vi.advanceTimersByTimeAsync(seconds * 1000);
}

it('makes a second full pass a minute after it began to lead, and none without a lease', async () => {
  const [leading, alone] = [start(memoryLeaseApi()), start(undefined)];
  await pass(leading, 0);
  await pass(alone, 59);
  expect([leading.reasons, alone.reasons]).toEqual([['first+'], ['first+']]);
  await pass(leading, 2);
  expect([leading.reasons, alone.reasons]).toEqual([['first+', 'second+'], ['first+']]);
  for (const one of [leading, alone]) one.stop.abort();
  expect(await Promise.all([leading.ended, alone.ended])).toEqual([0, 0]);
});

it('permits writes only while it leads, and to the term that they began in', async () => {
  const api: MemoryLeaseApi = memoryLeaseApi();
  const held = await api.create({
    ...{ holder: 'other', acquireTime: new Date(), renewTime: new Date(), durationSeconds: 30, transitions: 0 },
  });
  const started = start(api);
  await pass(started, 1);
  const permit = started.runner()?.permit;
  expect(permit?.()?.mayWrite()).toBe(false);
  await pass(started, 40);
  const first = permit?.();
  expect([first?.mayWrite(), first?.signal.aborted]).toEqual([true, false]);
  await api.update({ ...api.stored()!, holder: 'other' });
  await pass(started, 15);
  expect([first?.mayWrite(), first?.signal.aborted]).toEqual([false, true]);
  await pass(started, 60);
  expect([permit?.()?.mayWrite(), first?.mayWrite()]).toEqual([true, false]);
  expect(started.reasons.filter((reason) => reason === 'first+')).toHaveLength(2);
  started.stop.abort();
  await started.ended;
  expect([permit?.()?.mayWrite(), held.holder]).toEqual([false, 'other']);
});

it('permits every write without a lease', async () => {
  const started = start(undefined);
  await pass(started, 1);
  expect(started.runner()?.permit()).toBeUndefined();
  started.stop.abort();
  await started.ended;
});

it('is not ready, and says why in its metrics, when the lease cannot be read', async () => {
  const read = () =>
    Promise.reject(new EchelonError({ code: 'KUBE_FORBIDDEN', message: 'pod: 403 no', hint: 'grant it' }));
  const started = start({ ...memoryLeaseApi(), read });
  await pass(started, 1);
  const port = /"?metricsPort"?[:=]\s*(\d+)/.exec(started.log())?.[1];
  const page = async (path: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return `${response.status} ${await response.text()}`;
  };
  expect(await page('/healthz')).toBe('200 waiting for the lease\n');
  expect(await page('/readyz')).toBe('503 cannot read or write lease: pod: 403 no; grant it\n');
  expect(await page('/metrics')).toMatch(/^echelon_lease_reachable 0$/m);
  started.stop.abort();
  await started.ended;
});
