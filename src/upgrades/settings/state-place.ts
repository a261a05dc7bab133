import { join } from 'node:path';
import { existingBucket, parseStateLocation, S3_PREFIX, type StateLocation } from '../../base/index.ts';
import type { ConfigFile } from './config-file.ts';
import type { FilePorts } from './file-ports.ts';

/**
 * The given place, then ECHELON_STATE, then the configuration file, then the bucket from the variables of the existing
 * tools, else a folder of the user.
 */
export function statePlace(
  ports: Pick<FilePorts, 'env' | 'cwd' | 'onSecret'>,
  setting: string | undefined,
  file: ConfigFile | undefined,
): StateLocation {
  const given = setting ?? (ports.env['ECHELON_STATE'] || undefined);
  if (given !== undefined) return parseStateLocation(given, ports.cwd);
  const configured = file?.config.state;
  if (typeof configured === 'string') return parseStateLocation(configured, file?.folder ?? ports.cwd);
  if (configured !== undefined) return { kind: 's3', prefix: S3_PREFIX, ...configured };
  return existingBucket(ports.env, ports.onSecret) ?? ofUser(ports);
}

function ofUser({ env }: Pick<FilePorts, 'env'>): StateLocation {
  if (env['XDG_STATE_HOME']) return { kind: 'folder', folder: join(env['XDG_STATE_HOME'], 'echelon') };
  const below = join('.local', 'state', 'echelon');
  return env['HOME'] ? { kind: 'folder', folder: join(env['HOME'], below) } : { kind: 'home', below };
}
