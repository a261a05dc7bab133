export type {
  Forge,
  ForgeCommit,
  ForgeComparison,
  MergeRequest,
  MergeRequestSearch,
  MergeRequestUpdate,
  NewMergeRequest,
  OpenForgeOptions,
} from './forge.ts';
export { ForgeError, type ForgeErrorCode } from './forge-error.ts';
export { openForge } from './open-forge.ts';
export { type ForgeOptions, resolveRefByForge } from './resolve-ref.ts';
