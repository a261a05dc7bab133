export { describeWorkingTree, resolveRef } from './git.ts';
