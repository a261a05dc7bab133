import { count, defined, EchelonError } from '../../base/index.ts';
import type { ScopeFacts } from '../facts.ts';
import { NO_ROLLOUTS } from '../file/read-rollouts.ts';
import type { RolloutFile } from '../file/rollout-file.ts';
import type { RolloutRecord } from '../record/record.ts';
import type { Hold } from './decision.ts';

/** The file of this pass, or why there is none although one is needed: then everything is held, and the pass fails (F3). */
export function fileForPass(
  read: RolloutFile | EchelonError | undefined,
  record: RolloutRecord,
  where: string,
): RolloutFile | EchelonError {
  if (read !== undefined) return read;
  const held = [...record.scopes.values()].flatMap(({ shards }) =>
    [...shards].filter(([, shard]) => shard.held !== undefined),
  );
  const [first] = held;
  if (first === undefined) return NO_ROLLOUTS;
  return new EchelonError({
    code: 'ROLLOUTS_MISSING',
    message: `${where} is missing, and the record has ${held.length} held shards, such as ${first[0]}`,
    hint: 'restore the file; to end rollouts, leave a file with tracks: [], and delete the record',
  });
}

/** Every shard that is not pinned keeps its live image. */
export function holdAll(scopes: readonly ScopeFacts[]): (Hold & Pick<ScopeFacts, 'environment' | 'upstream'>)[] {
  return scopes.flatMap(({ environment, upstream, target, shards }) =>
    shards
      .filter(({ seen, pinned, live }) => seen && pinned === undefined && live?.image !== target)
      .map(({ id, live }) => ({ environment, upstream, id, target, ...defined({ image: live?.image }) })),
  );
}

const MOST_NAMED = 3;

/** Why a pass held everything, with what that is. */
export function holdAllFault(fault: EchelonError, holds: readonly Hold[]): EchelonError {
  const { code, message, hint } = fault;
  const idsOf = (isLive: boolean): string[] =>
    holds.filter(({ image }) => (image !== undefined) === isLive).map(({ id }) => id);
  const [kept, missing] = [idsOf(true), idsOf(false)];
  const parts = [
    ...(kept.length === 0 ? [] : [`${count(kept.length, 'shard')} on another image than declared (${someOf(kept)})`]),
    ...(missing.length === 0 ? [] : [`${count(missing.length, 'shard')} not created yet (${someOf(missing)})`]),
  ];
  const held = parts.length === 0 ? 'no shard has to move now' : `held are ${parts.join(' and ')}`;
  return new EchelonError({ code, message: `${message}; ${held}`, hint, cause: fault });
}

function someOf(ids: readonly string[]): string {
  const more = ids.length - MOST_NAMED;
  return ids.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
