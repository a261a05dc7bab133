import { resolve } from 'node:path';
import { EchelonError } from './errors.ts';
import { defined } from './values.ts';

/** A store of state between passes: bytes by key, with compare-and-swap by version. */
export interface StateStore {
  /** The location of the store, for messages. */
  readonly name: string;
  read(key: string): Promise<{ readonly value: Uint8Array; readonly version: string } | undefined>;
  /** After a lost race nothing has changed. */
  write(
    key: string,
    value: Uint8Array,
    expected: string | 'absent',
  ): Promise<{ readonly version: string } | 'lost-race'>;
}

/** A store that lives as long as the process: for simulations and what-if. */
export function memoryStateStore(): StateStore & { keys(): readonly string[] } {
  const values = new Map<string, { readonly value: Uint8Array; readonly version: string }>();
  let writes = 0;
  return {
    name: 'memory',
    keys: () => [...values.keys()],
    read: async (key) => values.get(key),
    write: async (key, value, expected) => {
      if ((values.get(key)?.version ?? 'absent') !== expected) return 'lost-race';
      writes += 1;
      const version = String(writes);
      values.set(key, { value: Uint8Array.from(value), version });
      return { version };
    },
  };
}

/** The location of a state store. */
export type StateLocation =
  | { readonly kind: 'folder'; readonly folder: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      readonly prefix: string;
      readonly region?: string;
      readonly endpoint?: string;
      readonly pathStyle?: boolean;
      readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
    }
  /** A ConfigMap in the cluster of this pod, else of the current context; without a namespace in that of the pod. */
  | { readonly kind: 'configmap'; readonly namespace?: string; readonly name: string }
  /** A folder in the user's home directory. */
  | { readonly kind: 'home'; readonly below: string };

/** Prefix of every key in a bucket, as in the existing tools. */
export const S3_PREFIX = 'state';

/** The bucket of the existing tools, from the variables of a pod with `state`. */
export function existingBucket(
  env: Readonly<Record<string, string | undefined>>,
  onSecret?: (secret: string) => void,
): StateLocation | undefined {
  const bucket = env['APP_INTERFACE_STATE_BUCKET'];
  if (!bucket) return undefined;
  const region = env['APP_INTERFACE_STATE_BUCKET_REGION'];
  const accessKeyId = env['APP_INTERFACE_STATE_BUCKET_ACCESS_KEY_ID'];
  const secretAccessKey = env['APP_INTERFACE_STATE_BUCKET_SECRET_ACCESS_KEY'];
  if (secretAccessKey) onSecret?.(secretAccessKey);
  return {
    ...{ kind: 's3', bucket, prefix: S3_PREFIX },
    ...(region ? { region } : {}),
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
  };
}

/** A folder, `file:FOLDER`, `s3://BUCKET/PREFIX?region=…&endpoint=…&pathStyle=true` or `configmap:[NAMESPACE/]NAME`. */
export function parseStateLocation(text: string, folder: string): StateLocation {
  if (text.startsWith('s3:')) return bucketAt(text);
  if (text.startsWith('configmap:')) return configMapAt(text);
  const path = text.replace(/^file:(?:\/\/)?/, '');
  if (path === '') throw invalidLocation(text);
  return { kind: 'folder', folder: resolve(folder, path) };
}

function bucketAt(text: string): StateLocation {
  const url = text.replace(/^s3:(?!\/\/)/, 's3://');
  if (!URL.canParse(url) || new URL(url).hostname === '') throw invalidLocation(text);
  const { hostname: bucket, pathname, searchParams } = new URL(url);
  const prefix = decodeURIComponent(pathname).replace(/^\/+|\/+$/g, '') || S3_PREFIX;
  const [region, endpoint, pathStyle] = ['region', 'endpoint', 'pathStyle'].map((name) => searchParams.get(name));
  return {
    ...{ kind: 's3', bucket, prefix },
    ...(region ? { region } : {}),
    ...(endpoint ? { endpoint } : {}),
    ...(pathStyle === 'true' ? { pathStyle: true } : {}),
  };
}

/** Valid names of Kubernetes objects and namespaces. */
const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

function configMapAt(text: string): StateLocation {
  const parts = text.slice('configmap:'.length).split('/');
  const [name = '', namespace] = parts.toReversed();
  if (parts.length > 2 || !parts.every((part) => NAME.test(part))) throw invalidLocation(text);
  return { kind: 'configmap', name, ...defined({ namespace }) };
}

function invalidLocation(location: string): EchelonError {
  return new EchelonError({
    code: 'FLAG_INVALID',
    message: `${location} is not a valid state location`,
    hint: 'use a folder, s3://BUCKET/PREFIX or configmap:NAMESPACE/NAME',
  });
}
