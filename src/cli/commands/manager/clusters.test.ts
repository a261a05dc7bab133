import { describe, expect, it } from 'vitest';
import { kubeClient, tokenConnection } from '../../../clients/kube/index.ts';
import type { Io } from '../../io.ts';
import { leaseClient, leaseRef, parseLease } from './clusters.ts';

const OUTPUT = { write: () => undefined, isTTY: false };
const io = (env: Io['env'] = {}): Io => ({
  stdout: OUTPUT,
  stderr: OUTPUT,
  env,
  cwd: '/',
  signal: new AbortController().signal,
});

describe('the place of a lease', () => {
  it.each([
    { text: 'ns/name', place: { namespace: 'ns', name: 'name' } },
    { text: 'lab/ns/name', place: { cluster: 'lab', namespace: 'ns', name: 'name' } },
  ])('is read from $text', ({ text, place }) => {
    expect(parseLease(text)).toEqual(place);
  });

  it.each(['', 'name', '/', 'ns/', '/name', 'lab//name', 'a/b/c/d', '//'])('is not "%s"', (text) => {
    expect(() => parseLease(text)).toThrow(
      expect.objectContaining({ code: 'FLAG_INVALID', message: expect.stringContaining(`--lease ${text} `) }),
    );
  });

  it('is none where it is switched off, and the one that is named elsewhere', async () => {
    expect(await leaseRef(io(), false, 'x')).toBeUndefined();
    expect(await leaseRef(io(), 'c/ns/name', 'x')).toEqual({ cluster: 'c', namespace: 'ns', name: 'name' });
    await expect(leaseRef(io(), 'ns/name', 'x')).rejects.toMatchObject({ code: 'FLAG_INVALID' });
    await expect(leaseRef(io(), 'name', 'x')).rejects.toMatchObject({ code: 'FLAG_INVALID' });
  });

  it.each([undefined, true])('is none outside of a pod (%s)', async (flag) => {
    expect(await leaseRef(io(), flag, 'x')).toBeUndefined();
  });
});

it('a lease in a cluster of the instance has a client of its own', async () => {
  const client = kubeClient(tokenConnection({ name: 'lab', server: 'http://127.0.0.1:1', token: async () => 't' }));
  const clusters = {
    connect: () => Promise.reject(new Error('a lease has a client of its own')),
    dedicated: async (cluster: string) => {
      expect(cluster).toBe('lab');
      return client;
    },
    close: () => undefined,
  };
  expect(await leaseClient(io(), { cluster: 'lab', namespace: 'ns', name: 'manager' }, clusters)).toBe(client);
  client.close();
});
