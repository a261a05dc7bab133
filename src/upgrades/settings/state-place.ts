import { join, resolve } from 'node:path';
import { EchelonError } from '../../base/index.ts';
import type { ConfigFile } from './config-file.ts';
import type { FilePorts } from './file-ports.ts';

/** Where histories are stored. */
export type StatePlace =
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
  /** A folder in the user's home directory. */
  | { readonly kind: 'home'; readonly below: string };

/** Prefix of every key in a bucket, as in the existing tools. */
const S3_PREFIX = 'state';

/**
 * The given place, then ECHELON_STATE, then the configuration file, then the bucket from the variables of the existing
 * tools, else a folder of the user.
 */
export function statePlace(
  ports: Pick<FilePorts, 'env' | 'cwd' | 'onSecret'>,
  setting: string | undefined,
  file: ConfigFile | undefined,
): StatePlace {
  const given = setting ?? (ports.env['ECHELON_STATE'] || undefined);
  if (given !== undefined) return placeAt(given, ports.cwd);
  const configured = file?.config.state;
  if (typeof configured === 'string') return placeAt(configured, file?.folder ?? ports.cwd);
  if (configured !== undefined) return { kind: 's3', prefix: S3_PREFIX, ...configured };
  return existingBucket(ports) ?? ofUser(ports);
}

/** A folder, or `s3://bucket/prefix?region=…&endpoint=…&pathStyle=true`. */
function placeAt(place: string, folder: string): StatePlace {
  if (!place.startsWith('s3://')) return { kind: 'folder', folder: resolve(folder, place) };
  if (!URL.canParse(place) || new URL(place).hostname === '') throw badPlace(place);
  const { hostname: bucket, pathname, searchParams } = new URL(place);
  const prefix = decodeURIComponent(pathname).replace(/^\/+|\/+$/g, '') || S3_PREFIX;
  const [region, endpoint, pathStyle] = ['region', 'endpoint', 'pathStyle'].map((name) => searchParams.get(name));
  return {
    ...{ kind: 's3', bucket, prefix },
    ...(region ? { region } : {}),
    ...(endpoint ? { endpoint } : {}),
    ...(pathStyle === 'true' ? { pathStyle: true } : {}),
  };
}

function existingBucket({ env, onSecret }: Pick<FilePorts, 'env' | 'onSecret'>): StatePlace | undefined {
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

function ofUser({ env }: Pick<FilePorts, 'env'>): StatePlace {
  if (env['XDG_STATE_HOME']) return { kind: 'folder', folder: join(env['XDG_STATE_HOME'], 'echelon') };
  const below = join('.local', 'state', 'echelon');
  return env['HOME'] ? { kind: 'folder', folder: join(env['HOME'], below) } : { kind: 'home', below };
}

function badPlace(place: string): EchelonError {
  return new EchelonError({
    code: 'FLAG_INVALID',
    message: `${place} is not a valid state location`,
    hint: 'use a folder, or s3://BUCKET/PREFIX',
  });
}
