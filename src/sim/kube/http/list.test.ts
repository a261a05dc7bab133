import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIG_MAPS_PATH, configMap, type Exchange, exchange } from '../../../../test/support/sim-kube-exchange.ts';
import type { KubeObject } from '../objects.ts';

let api: Exchange;
beforeAll(async () => {
  api = await exchange({ namespaces: ['ns', 'other'] });
  for (let i = 1; i <= 7; i += 1)
    await api.send('POST', CONFIG_MAPS_PATH, configMap(`c${i}`, { metadata: { labels: { odd: String(i % 2) } } }));
  await api.send('POST', '/api/v1/namespaces/other/configmaps', configMap('z'));
});
afterAll(() => api.sim.close());

interface Page {
  readonly names: string[];
  readonly next: string;
  readonly left: unknown;
  readonly version: unknown;
}

async function page(query: string, path = CONFIG_MAPS_PATH): Promise<Page> {
  const { body } = await api.send('GET', `${path}?${query}`);
  const { continue: next = '', remainingItemCount: left, resourceVersion: version } = body.metadata;
  return {
    names: (body['items'] as KubeObject[]).map(({ metadata }) => metadata.name),
    next: String(next),
    left,
    version,
  };
}

describe('a list', () => {
  it('is of one namespace or of all, by namespace and name', async () => {
    expect((await page('')).names).toEqual(['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7']);
    expect((await page('', '/api/v1/configmaps')).names).toEqual(['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'z']);
  });

  it('of a namespace that is not there is empty', async () => {
    const { code, body } = await api.send('GET', '/api/v1/namespaces/nowhere/configmaps');
    expect([code, body['kind'], body['items']]).toEqual([200, 'ConfigMapList', []]);
  });

  it('comes in pages, as of the first one', async () => {
    const first = await page('limit=3');
    await api.send('POST', CONFIG_MAPS_PATH, configMap('c3b'));
    const second = await page(`limit=3&continue=${first.next}`);
    const third = await page(`limit=3&continue=${second.next}`);
    await api.send('DELETE', `${CONFIG_MAPS_PATH}/c3b`);
    expect([first.names, second.names, third.names]).toEqual([['c1', 'c2', 'c3'], ['c4', 'c5', 'c6'], ['c7']]);
    expect([first.left, second.left, third.left, third.next]).toEqual([4, 1, undefined, '']);
    expect(new Set([first.version, second.version, third.version]).size).toBe(1);
  });

  it('of selected objects comes in pages too, without telling how many are left', async () => {
    const first = await page('limit=2&labelSelector=odd%3D0');
    const second = await page(`limit=2&labelSelector=odd%3D0&continue=${first.next}`);
    expect([first.names, first.left, second.names]).toEqual([['c2', 'c4'], undefined, ['c6']]);
  });

  it.each([
    { query: 'limit=7', names: 7 },
    { query: 'limit=0', names: 7 },
    { query: 'limit=2&resourceVersion=0', names: 7 },
    { query: 'limit=1&fieldSelector=metadata.name%3Dc3', names: 1 },
  ])('with $query has no further page', async ({ query, names }) => {
    const found = await page(query);
    expect([found.names.length, found.next]).toEqual([names, '']);
  });

  it('that was begun on another server is refused', async () => {
    const token = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: 1, start: '/c5' })).toString('base64url');
    const { code, body } = await api.send('GET', `${CONFIG_MAPS_PATH}?limit=5&continue=${token}`);
    expect([code, body['reason']]).toEqual([410, 'Expired']);
  });

  it.each([
    { query: 'continue=nonsense', code: 400 },
    { query: 'labelSelector=a+b', code: 400 },
    { query: 'fieldSelector=a', code: 400 },
  ])('with $query is refused with $code', async ({ query, code }) => {
    expect((await api.send('GET', `${CONFIG_MAPS_PATH}?${query}`)).code).toBe(code);
  });
});
