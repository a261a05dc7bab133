import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createS3Store } from '../../src/clients/state/s3-store.ts';
import { isAlive } from '../support/real-kube-lock.ts';
import { type RealS3, startRealS3 } from '../support/real-s3.ts';
import { stateStoreContract } from '../support/state-store-contract.ts';
import type { StoreSpec } from '../support/state-writer.ts';
import { until } from '../support/until.ts';

let s3: RealS3;
beforeAll(async () => {
  s3 = await startRealS3();
});
afterAll(() => s3?.stop());

/** A bucket with credentials that it refuses. */
async function closed(): Promise<StoreSpec> {
  const bucket = await s3.newBucket();
  return { kind: 's3', options: { ...bucket, credentials: { ...bucket.credentials, secretAccessKey: 'another' } } };
}

describe('a store in S3', () => {
  stateStoreContract(async () => ({ kind: 's3', options: await s3.newBucket() }), closed);
});

describe('a store below a prefix in S3', () => {
  stateStoreContract(async () => ({ kind: 's3', options: { ...(await s3.newBucket()), prefix: 'state/aus' } }), closed);
});

describe('a real S3 server', () => {
  it('keeps what is below other prefixes apart', async () => {
    const bucket = await s3.newBucket();
    const [one, two] = ['state/one', 'state/two'].map((prefix) => createS3Store({ ...bucket, prefix }));
    await one?.write('k', Buffer.from('x'), 'absent');
    expect(await two?.read('k')).toBeUndefined();
    expect(await createS3Store(bucket).read('state/one/k')).toBeDefined();
  });

  it('refuses a bucket that is not there', async () => {
    const store = createS3Store({ ...(await s3.newBucket()), bucket: 'not-there' });
    const code = 'STATE_NO_BUCKET';
    await expect(store.read('k')).rejects.toMatchObject({
      code,
      message: 'cannot read s3://not-there/k: NoSuchBucket (404)',
    });
    await expect(store.write('k', Buffer.from('x'), 'absent')).rejects.toMatchObject({ code });
  });

  it('refuses a wrong secret, which is not shown', async () => {
    const bucket = await s3.newBucket();
    const credentials = { ...bucket.credentials, secretAccessKey: 'hush-hush-hush' };
    const error: unknown = await createS3Store({ ...bucket, credentials })
      .read('k')
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'STATE_FORBIDDEN',
      message: expect.stringContaining(`s3://${bucket.bucket}/k`),
    });
    expect(`${error}${JSON.stringify(error)}`).not.toMatch(/hush/);
  });

  it('ends with the process that started it, however that ends', async () => {
    const script = `
      import { startRealS3 } from ${JSON.stringify(join(import.meta.dirname, '../support/real-s3.ts'))};
      console.log(JSON.stringify((await startRealS3()).pids));
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(child.stdout, 'data');
    const pids = JSON.parse(String(line)) as number[];
    expect(pids.filter(isAlive)).toEqual(pids);
    child.kill('SIGKILL');
    await until(() => pids.every((pid) => !isAlive(pid)), { timeoutSeconds: 30, what: 'the server is gone' });
  });
});
