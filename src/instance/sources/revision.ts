import type { Revision } from '../snapshot.ts';

/** The revision of a directory with this content, of which git may know more. */
export function revisionOf(sha256: string, git: { commit: string; dirty: boolean } | undefined): Revision {
  const short = sha256.slice(0, 8);
  if (git === undefined) return { id: `content.${short}`, sha256 };
  const commit = git.commit.slice(0, 7);
  return { id: git.dirty ? `${commit}+dirty.${short}` : commit, sha256, ...git };
}
