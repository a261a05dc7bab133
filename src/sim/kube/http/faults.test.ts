import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_MAPS_PATH, configMap, type Exchange, exchange } from '../../../../test/support/sim-kube-exchange.ts';

let api: Exchange;
beforeEach(async () => {
  api = await exchange();
});
afterEach(() => api.sim.close());

const create = () => api.send('POST', CONFIG_MAPS_PATH, configMap('a'));

describe('a fault', () => {
  it.each([
    { status: 429, reason: 'TooManyRequests' },
    { status: 500, reason: 'InternalError' },
    { status: 503, reason: 'ServiceUnavailable' },
    { status: 403, reason: 'Forbidden' },
  ])('answers $status and does nothing', async ({ status, reason }) => {
    api.sim.addFault({ path: /configmaps/, status });
    const { code, body } = await create();
    expect([code, body['reason']]).toEqual([status, reason]);
    expect(api.sim.store.get('v1', 'ConfigMap', 'ns', 'a')).toBeUndefined();
  });

  it.each([
    { path: /configmaps\/a$/, struck: ['get', 'delete'] },
    { path: /secrets/, struck: [] },
    { path: /./, struck: ['create', 'list', 'get', 'delete'] },
  ])('of $path strikes $struck', async ({ path, struck }) => {
    api.sim.addFault({ path, status: 503, times: 9 });
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

  it('strikes as often as it says, oldest first', async () => {
    api.sim.addFault({ path: /./, status: 500, times: 2 });
    api.sim.addFault({ path: /./, status: 503 });
    const codes: number[] = [];
    for (let i = 0; i < 4; i += 1) codes.push((await create()).code);
    expect(codes).toEqual([500, 500, 503, 201]);
  });
});
