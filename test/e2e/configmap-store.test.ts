import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REAL_KUBE_TIMEOUT_MS, type RealKube, skipRealKube, startRealKube } from '../support/real-kube.ts';
import { stateStoreContract } from '../support/state-store-contract.ts';
import { openStore, type StoreSpec } from '../support/state-writer.ts';

describe.skipIf(skipRealKube)('a store in a ConfigMap', () => {
  const namespace = 'state';
  let kube: RealKube;
  let count = 0;
  beforeAll(async () => {
    kube = await startRealKube();
    await kube.createNamespace(namespace);
  }, REAL_KUBE_TIMEOUT_MS);
  afterAll(() => kube?.close());

  const place = (given: { readonly namespace?: string; readonly token?: string } = {}): StoreSpec => {
    count += 1;
    const { server, ca, adminToken } = kube;
    return {
      kind: 'configmap',
      options: { namespace, name: `state-${count}`, server, ca, token: adminToken, ...given },
    };
  };

  stateStoreContract(
    () => place(),
    async () => place({ token: await kube.serviceAccountToken(namespace, 'without-rights') }),
  );

  it('keeps what somebody else has in it', async () => {
    const spec = place();
    const name = `state-${count}`;
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await kube.admin('POST', path, { metadata: { name, labels: { a: 'b' } }, data: { theirs: 'x' } });
    await openStore(spec).write('k', Buffer.from('ours'), 'absent');
    const { body } = await kube.admin<{ metadata: object; data: object }>('GET', `${path}/${name}`);
    expect(body).toMatchObject({ metadata: { labels: { a: 'b' } }, data: { theirs: 'x' } });
  });

  it('does not mistake the bytes of somebody else for its own', async () => {
    const spec = place();
    const object = { metadata: { name: `state-${count}` }, binaryData: { k: 'bm8gZ3ppcA==' } };
    await kube.admin('POST', `/api/v1/namespaces/${namespace}/configmaps`, object);
    await expect(openStore(spec).read('k')).rejects.toMatchObject({ code: 'STATE_FAILED' });
    await expect(openStore(spec).write('k', Buffer.from('x'), 'absent')).rejects.toMatchObject({
      code: 'STATE_FAILED',
    });
  });

  it('says that it is full, and keeps what it has', async () => {
    const store = openStore(place());
    await store.write('first', Buffer.from('x'), 'absent');
    for (const size of [1024 * 1024, 4 * 1024 * 1024]) {
      await expect(store.write('second', randomBytes(size), 'absent')).rejects.toMatchObject({
        code: 'STATE_TOO_LARGE',
        hint: 'keep the state in S3 or a folder',
      });
    }
    expect(await store.read('second')).toBeUndefined();
    expect(Buffer.from((await store.read('first'))?.value ?? []).toString()).toBe('x');
  });

  it('names the right that is missing, and the namespace', async () => {
    const token = await kube.serviceAccountToken(namespace, 'nobody');
    await expect(openStore(place({ token })).read('k')).rejects.toMatchObject({
      code: 'KUBE_FORBIDDEN',
      message: expect.stringContaining('cannot get resource "configmaps"'),
    });
    await expect(openStore(place({ namespace: 'gone' })).write('k', Buffer.from('x'), 'absent')).rejects.toMatchObject({
      code: 'KUBE_NO_NAMESPACE',
    });
  });
});
