export { lineChanges, lineDates } from './blame.ts';
export { describeWorkingTree } from './git.ts';
export { identityIn } from './identity.ts';
export { openRepository } from './open-repository.ts';
export type { Commit } from './repository.ts';
export { repositoryAt } from './repository-at.ts';
