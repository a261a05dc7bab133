export { describeWorkingTree } from './git.ts';
