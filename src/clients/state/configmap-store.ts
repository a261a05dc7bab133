import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { defined, EchelonError, isJson, type StateStore } from '../../base/index.ts';
import type { ApiObject, KubeClient } from '../kube/index.ts';
import { checkKey, checkSize, MAX_STATE_BYTES, stateError } from './state-error.ts';

type StoredValue = NonNullable<Awaited<ReturnType<StateStore['read']>>>;

export interface ConfigMapStoreOptions {
  readonly namespace: string;
  readonly name: string;
  /** Opened with the first use. */
  readonly client: () => Promise<Pick<KubeClient, 'get' | 'create' | 'replace'>>;
}

/** Writers of other keys may come in between so often. */
const MAX_ATTEMPTS = 50;
/** Of a key in a ConfigMap. */
const LONGEST_DATA_KEY = 253;

const [packed, unpacked] = [promisify(gzip), promisify(gunzip)];

/**
 * All keys in one ConfigMap, so that a Role can name it; values are compressed, since the whole may have 1 MiB. A write
 * states the resourceVersion that it read: the server refuses a late one.
 */
export function createConfigMapStore({ namespace, name, client }: ConfigMapStoreOptions): StateStore {
  const id = { kind: 'ConfigMap', namespace, name };
  const where = `configmap:${namespace}/${name}`;
  const nameOf = (key: string): string => `${key} in ${where}`;
  const read = async (): Promise<ApiObject | undefined> => (await client()).get(id);
  let last: { readonly content: string; readonly value: StoredValue } | undefined;
  /** What a loop reads in every pass is unpacked once. */
  const valueIn = async (found: ApiObject | undefined, entry: string, of: string): Promise<StoredValue | undefined> => {
    const content = contentIn(found, entry);
    if (content === undefined) return undefined;
    if (last?.content !== content) last = { content, value: await storedValue(content, of) };
    return last.value;
  };
  const attempt = async (found: ApiObject | undefined, entry: string, content: string): Promise<boolean> => {
    const api = await client();
    const resourceVersion = found?.metadata['resourceVersion'];
    const metadata = found?.metadata ?? { namespace, name };
    const object = {
      ...found,
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...metadata, ...defined({ resourceVersion }) },
    };
    const next = { ...object, binaryData: { ...binaryIn(found), [entry]: content } };
    try {
      await (found === undefined ? api.create(next) : api.replace(next));
      return true;
    } catch (thrown) {
      if (isRace(thrown)) return false;
      throw tooLarge(thrown, where) ?? thrown;
    }
  };
  return {
    name: where,
    read: async (key) => valueIn(await read(), dataKey(key), nameOf(key)),
    write: async (key, value, expected) => {
      const entry = dataKey(key);
      checkSize(`the value for ${nameOf(key)}`, value.byteLength);
      const content = (await packed(value)).toString('base64');
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
        const found = await read();
        const current = await valueIn(found, entry, nameOf(key));
        if ((current?.version ?? 'absent') !== expected) return 'lost-race';
        if (await attempt(found, entry, content)) return { version: versionOf(value) };
      }
      throw stateError(
        'STATE_LOCKED',
        `${where} changes all the time`,
        'give the state of Echelon a ConfigMap of its own',
      );
    },
  };
}

function binaryIn(found: ApiObject | undefined): Readonly<Record<string, unknown>> {
  const data = found?.['binaryData'];
  return isJson(data) ? data : {};
}

function contentIn(found: ApiObject | undefined, entry: string): string | undefined {
  const data = binaryIn(found);
  const content = Object.hasOwn(data, entry) ? data[entry] : undefined;
  return typeof content === 'string' ? content : undefined;
}

async function storedValue(content: string, where: string): Promise<StoredValue> {
  try {
    const value = await unpacked(Buffer.from(content, 'base64'), { maxOutputLength: MAX_STATE_BYTES });
    return { value, version: versionOf(value) };
  } catch {
    throw stateError('STATE_FAILED', `${where} is not what Echelon wrote`, 'restore it, or remove that key');
  }
}

/** Letters, digits, `-` and `_` as they are; other bytes as `.2f`. */
function dataKey(key: string): string {
  checkKey(key);
  const entry = Buffer.from(key)
    .toString('latin1')
    .replaceAll(/[^A-Za-z0-9_-]/g, (byte) => `.${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
  if (entry.length <= LONGEST_DATA_KEY) return entry;
  const hint = 'use shorter names, or keep the state in S3';
  throw stateError('STATE_KEY_INVALID', `${JSON.stringify(key)} is too long for a ConfigMap`, hint);
}

function versionOf(value: Uint8Array): string {
  return createHash('sha256').update(value).digest('hex');
}

function isRace(thrown: unknown): boolean {
  return thrown instanceof EchelonError && (thrown.code === 'KUBE_CONFLICT' || thrown.code === 'KUBE_EXISTS');
}

function tooLarge(thrown: unknown, where: string): EchelonError | undefined {
  if (!(thrown instanceof EchelonError) || !/Too long|Request entity too large|limit is/.test(thrown.message))
    return undefined;
  return stateError('STATE_TOO_LARGE', `${where} would have more than 1 MiB`, 'keep the state in S3 or a folder');
}
