export type { Commit } from './history.ts';
export { identityIn, openRepository, repositoryAt } from './repository.ts';
export { describeWorkingTree, lineChanges, lineDates } from './work-tree.ts';
