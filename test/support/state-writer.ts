import { createHash } from 'node:crypto';
import type { StateStore } from '../../src/base/index.ts';
import { kubeClient, tokenConnection } from '../../src/clients/kube/index.ts';
import { createConfigMapStore } from '../../src/clients/state/configmap-store.ts';
import type { FileStoreOptions } from '../../src/clients/state/file-store.ts';
import { createFileStore } from '../../src/clients/state/file-store.ts';
import type { S3StoreOptions } from '../../src/clients/state/s3-store.ts';
import { createS3Store } from '../../src/clients/state/s3-store.ts';

/** A store as a text can name it, so that another process opens the same. */
export type StoreSpec =
  | { readonly kind: 'file'; readonly options: FileStoreOptions }
  | { readonly kind: 's3'; readonly options: S3StoreOptions }
  | { readonly kind: 'configmap'; readonly options: ConfigMapPlace };

interface ConfigMapPlace {
  readonly namespace: string;
  readonly name: string;
  readonly server: string;
  readonly ca: string;
  readonly token: string;
}

/** What a process is to do with the store that `STATE_STORE` names. */
export type WriterJob = { readonly key: string } & (
  | { readonly job: 'write-for-ever' }
  | { readonly job: 'count'; readonly times: number }
);

export function openStore(spec: StoreSpec): StateStore {
  if (spec.kind === 'file') return createFileStore(spec.options);
  return spec.kind === 's3' ? createS3Store(spec.options) : configMapStore(spec.options);
}

function configMapStore({ namespace, name, server, ca, token }: ConfigMapPlace): StateStore {
  const client = kubeClient(tokenConnection({ name: 'real', server, ca, token: async () => token }));
  return createConfigMapStore({ namespace, name, client: async () => client });
}

const BODY_BYTES = 4 * 1024 * 1024;

/** A large value that shows whether it is whole: a number, the hash of the rest, and the rest. */
export function largeValue(number: number): Buffer {
  const body = Buffer.alloc(BODY_BYTES, `${number} `);
  return Buffer.concat([Buffer.from(`${number} ${createHash('sha256').update(body).digest('hex')}\n`), body]);
}

/** The number of a large value; undefined when it is not whole. */
export function numberIn(value: Uint8Array): number | undefined {
  const [, number] = /^(\d+) /.exec(Buffer.from(value.subarray(0, 32)).toString('latin1')) ?? [];
  return number !== undefined && largeValue(Number(number)).equals(value) ? Number(number) : undefined;
}

/** Adds one to a number in a store, again and again when others are faster. */
export async function addOne(store: StateStore, key: string): Promise<void> {
  for (;;) {
    const current = await store.read(key);
    const next = Number(Buffer.from(current?.value ?? '0').toString()) + 1;
    const written = await store.write(key, Buffer.from(String(next)), current?.version ?? 'absent');
    if (written !== 'lost-race') return;
  }
}

/** Says each number that is written for good. */
async function writeForEver(store: StateStore, key: string): Promise<void> {
  let version = (await store.read(key))?.version ?? 'absent';
  for (let number = 1; ; number += 1) {
    const written = await store.write(key, largeValue(number), version);
    if (written === 'lost-race') throw new Error(`number ${number} lost a race that nobody else takes part in`);
    version = written.version;
    process.stdout.write(`${number}\n`);
  }
}

async function work(spec: StoreSpec, job: WriterJob): Promise<void> {
  const store = openStore(spec);
  if (job.job === 'write-for-ever') return writeForEver(store, job.key);
  for (let time = 0; time < job.times; time += 1) await addOne(store, job.key);
}

if (import.meta.main) {
  const { STATE_STORE = '', STATE_JOB = '' } = process.env;
  await work(JSON.parse(STATE_STORE) as StoreSpec, JSON.parse(STATE_JOB) as WriterJob);
}
