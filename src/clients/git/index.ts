export { lineDates } from './blame.ts';
export { describeWorkingTree, resolveRef } from './git.ts';
export { type Identity, identityIn } from './identity.ts';
export { openRepository } from './open-repository.ts';
export type {
  Commit,
  CommitLog,
  CommittedChange,
  GitOperation,
  NewCommit,
  Repository,
  WorkState,
} from './repository.ts';
export { repositoryAt } from './repository-at.ts';
