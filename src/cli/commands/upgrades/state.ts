import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { EchelonError } from '../../../base/index.ts';
import { createFileStore, createS3Store, type S3StoreOptions } from '../../../clients/state/index.ts';
import type { StateStore } from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import type { ConfigFile } from './config-file.ts';

/** Before every key in a bucket, as the existing tools have it. */
const S3_PREFIX = 'state';

/**
 * Where histories are kept: `--state`, then ECHELON_STATE, then the configuration file, then the bucket that the variables
 * of the existing tools name, else a folder of the user.
 */
export function openState(io: Io, flag: string | undefined, file: ConfigFile | undefined): StateStore {
  const given = flag ?? (io.env['ECHELON_STATE'] || undefined);
  if (given !== undefined) return storeAt(given, io.cwd);
  const configured = file?.config.state;
  if (typeof configured === 'string') return storeAt(configured, file?.folder ?? io.cwd);
  if (configured !== undefined) return createS3Store({ prefix: S3_PREFIX, ...configured });
  return existingBucket(io) ?? createFileStore({ folder: defaultFolder(io) });
}

/** A folder, or `s3://bucket/prefix?region=…&endpoint=…&pathStyle=true`. */
function storeAt(place: string, folder: string): StateStore {
  if (!place.startsWith('s3://')) return createFileStore({ folder: resolve(folder, place) });
  if (!URL.canParse(place) || new URL(place).hostname === '') throw badPlace(place);
  const { hostname: bucket, pathname, searchParams } = new URL(place);
  const prefix = decodeURIComponent(pathname).replace(/^\/+|\/+$/g, '') || S3_PREFIX;
  const [region, endpoint, pathStyle] = ['region', 'endpoint', 'pathStyle'].map((name) => searchParams.get(name));
  return createS3Store({
    ...{ bucket, prefix },
    ...(region ? { region } : {}),
    ...(endpoint ? { endpoint } : {}),
    ...(pathStyle === 'true' ? { pathStyle: true } : {}),
  });
}

function existingBucket({ env, onSecret }: Io): StateStore | undefined {
  const bucket = env['APP_INTERFACE_STATE_BUCKET'];
  if (!bucket) return undefined;
  const region = env['APP_INTERFACE_STATE_BUCKET_REGION'];
  const accessKeyId = env['APP_INTERFACE_STATE_BUCKET_ACCESS_KEY_ID'];
  const secretAccessKey = env['APP_INTERFACE_STATE_BUCKET_SECRET_ACCESS_KEY'];
  const keys: Pick<S3StoreOptions, 'credentials'> =
    accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {};
  if (secretAccessKey) onSecret?.(secretAccessKey);
  return createS3Store({ bucket, prefix: S3_PREFIX, ...(region ? { region } : {}), ...keys });
}

function defaultFolder({ env }: Io): string {
  const base = env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state');
  return join(base, 'echelon');
}

function badPlace(place: string): EchelonError {
  return new EchelonError({
    code: 'FLAG_INVALID',
    message: `${place} is no place for the state`,
    hint: 'write a folder, or s3://BUCKET/PREFIX',
  });
}
