import { imageVersion, type ListedRows, shortDigests } from '../../base/index.ts';

/** What a user sees of rollouts. */
export interface RolloutView {
  readonly rows: ListedRows;
  /** Lines for a terminal, in addition to the rows. */
  readonly notes: readonly string[];
  /** Whether something needs a human. */
  readonly isWrong: boolean;
}

/** The tag of an image, with the beginning of its digest; the whole image where it has neither. */
export function versionText(image: string): string {
  return shortDigests(imageVersion(image) || image);
}

/** Whether a shard is meant: by its id, or by its name. */
export function isShardNamed(id: string, wanted: string): boolean {
  return id === wanted || shardName(id) === wanted;
}

export function shardName(id: string): string {
  return id.slice(id.indexOf('/') + 1);
}
