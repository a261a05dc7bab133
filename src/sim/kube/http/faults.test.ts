import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_MAPS_PATH, configMap, type Exchange, exchange } from '../testing/exchange.ts';

let api: Exchange;
beforeEach(async () => {
  api = await exchange();
});
afterEach(() => api.sim.close());

const create = () => api.send('POST', CONFIG_MAPS_PATH, configMap('a'));
const stored = (): boolean => api.sim.store.get('v1', 'ConfigMap', 'ns', 'a') !== undefined;

describe('a fault', () => {
  it.each([
    { status: 429, retryAfter: 7, reason: 'TooManyRequests', header: '7' },
    { status: 500, reason: 'InternalError', header: null },
    { status: 503, retryAfter: 1, reason: 'ServiceUnavailable', header: '1' },
    { status: 410, reason: 'Expired', header: null },
    { status: 403, reason: 'Forbidden', header: null },
  ])('answers $status and does nothing', async ({ header, reason, ...fault }) => {
    api.sim.addFault({ kind: 'status', match: {}, ...fault });
    const { code, body, headers } = await create();
    expect([code, body['reason'], headers.get('retry-after')]).toEqual([fault.status, reason, header]);
    expect(stored()).toBe(false);
  });

  it('may come after the request was carried out', async () => {
    api.sim.addFault({ kind: 'status', match: {}, status: 504, after: true });
    expect((await create()).code).toBe(504);
    expect(stored()).toBe(true);
  });

  it.each([
    { kind: 'hang-up', done: false },
    { kind: 'hang-up-after', done: true },
  ] as const)('$kind closes the connection; carried out: $done', async ({ kind, done }) => {
    api.sim.addFault({ kind, match: {} });
    await expect(create()).rejects.toThrow('fetch failed');
    expect(stored()).toBe(done);
    expect(api.sim.requests.at(-1)?.status).toBe(0);
  });

  it('of garbage is no JSON', async () => {
    api.sim.addFault({ kind: 'garbage', match: {} });
    await expect(create()).rejects.toThrow(SyntaxError);
    expect(stored()).toBe(false);
  });

  it('that is slow never answers, and ends with the server', async () => {
    api.sim.addFault({ kind: 'slow', match: {} });
    const pending = create();
    const settled = expect(pending).rejects.toThrow('fetch failed');
    while (api.sim.requests.length === 0) await new Promise(setImmediate);
    await api.sim.close();
    await settled;
    expect(stored()).toBe(false);
  });

  it.each([
    { match: { method: 'POST' }, struck: ['create'] },
    { match: { path: /configmaps\/a$/ }, struck: ['get', 'delete'] },
    { match: { verb: 'list', resource: 'configmaps' }, struck: ['list'] },
    { match: { resource: 'secrets' }, struck: [] },
    { match: {}, struck: ['create', 'list', 'get', 'delete'] },
  ] as const)('that matches $match strikes $struck', async ({ match, struck }) => {
    api.sim.addFault({ kind: 'status', match, status: 503, times: 9 });
    const calls = {
      create,
      list: () => api.send('GET', CONFIG_MAPS_PATH),
      get: () => api.send('GET', `${CONFIG_MAPS_PATH}/a`),
      delete: () => api.send('DELETE', `${CONFIG_MAPS_PATH}/a`),
    };
    const found: string[] = [];
    for (const [name, call] of Object.entries(calls)) if ((await call()).code === 503) found.push(name);
    expect(found).toEqual(struck);
  });

  it('strikes as often as it says, oldest first, until it is cleared', async () => {
    api.sim.addFault({ kind: 'status', match: {}, status: 500, times: 2 });
    api.sim.addFault({ kind: 'status', match: {}, status: 503 });
    api.sim.addFault({ kind: 'status', match: {}, status: 429, times: 9 });
    const codes: number[] = [];
    for (let i = 0; i < 4; i += 1) codes.push((await create()).code);
    api.sim.clearFaults();
    codes.push((await create()).code);
    expect(codes).toEqual([500, 500, 503, 429, 201]);
  });
});
