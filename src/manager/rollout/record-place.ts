import { join } from 'node:path';
import { parseStateLocation, type StateLocation } from '../../base/index.ts';
import { ROLLOUT_RECORD } from '../desired/manager-access.ts';

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly isInCluster: boolean;
}

/** The place of the record that a flag or a variable gives. */
export function givenRecordPlace(flag: string | undefined, { env, cwd }: Omit<Surroundings, 'home' | 'isInCluster'>) {
  const given = flag ?? (env['ECHELON_ROLLOUT_RECORD'] || undefined);
  return given === undefined ? undefined : parseStateLocation(given, cwd);
}

/** Where the record is unless it is given: in a pod a ConfigMap of its namespace, else a folder of the user. */
export function defaultRecordPlace({ env, home, isInCluster }: Omit<Surroundings, 'cwd'>): StateLocation {
  if (isInCluster) return { kind: 'configmap', name: ROLLOUT_RECORD };
  const state = env['XDG_STATE_HOME'] || join(env['HOME'] || home, '.local', 'state');
  return { kind: 'folder', folder: join(state, 'echelon', ROLLOUT_RECORD) };
}
