export type {
  Alert,
  Hold,
  Move,
  Return,
  ShardVerdicts,
  TrackDecision,
  TrackState,
  WaveReport,
  WaveState,
} from './decide/decision.ts';
export {
  type JobFacts,
  type LiveShard,
  type QueryAnswer,
  type ScopeFacts,
  type ShardFacts,
  shardIds,
} from './facts.ts';
export {
  type HealthQuery,
  type HealthRules,
  type Match,
  type Overrule,
  ROLLOUTS_RESOURCE,
  type RolloutFile,
  type RolloutFreeze,
  type Track,
  type Wave,
} from './file/rollout-file.ts';
export { EMPTY_RECORD, type Failure, type RolloutRecord, type ScopeRecord, type ShardRecord } from './record/record.ts';
export { RECORD_KEY, type RolloutRecords, rolloutRecords, type StoredRecord } from './record/record-store.ts';
