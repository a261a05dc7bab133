export { type PlannedWaves, plannedWaves, waveLines, wavesText } from './change-forecast.ts';
export {
  decideRollouts,
  type Orphan,
  type RolloutOptions,
  type RolloutsDecision,
  type ScopeTrack,
} from './decide/decide-rollouts.ts';
export { decideTrack } from './decide/decide-track.ts';
export type {
  Alert,
  Hold,
  Move,
  Return,
  ShardVerdicts,
  TrackDecision,
  TrackState,
  WantedShadow,
  WaveReport,
  WaveState,
} from './decide/decision.ts';
export { fileForPass, holdAll, holdAllFault } from './decide/hold-all.ts';
export { paceOf } from './decide/pace.ts';
export { type ShardUnderWay, shardsUnderWay } from './decide/under-way.ts';
export { withShadow } from './decide/with-shadow.ts';
export {
  type JobFacts,
  type LiveShard,
  MANAGER_INTEGRATION,
  type QueryAnswer,
  type ScopeFacts,
  type ShardFacts,
  type Stop,
  shardIds,
} from './facts.ts';
export type { DeclaredVersion } from './file/declared-names.ts';
export { parseDuration } from './file/duration.ts';
export { promqlOf, type QuerySubject, queryAnswer, queryText } from './file/queries.ts';
export { NO_ROLLOUTS, readRollouts, requireRollouts, rolloutsShape } from './file/read-rollouts.ts';
export {
  type HealthQuery,
  type HealthRules,
  type Match,
  OVERRULE_ACTIONS,
  type Overrule,
  ROLLOUTS_RESOURCE,
  type RolloutFile,
  type RolloutFreeze,
  type Track,
  type Wave,
} from './file/rollout-file.ts';
export { type RolloutsText, rolloutsCheck } from './file/rollouts-check.ts';
export { explainShards, type ShardExplanation } from './forecast/explain.ts';
export { forecastRollouts, type TrackForecast, type WaveForecast } from './forecast/forecast.ts';
export { type OverruleRequest, openOverrules, overruleListing } from './overrule-edit.ts';
export type { RolloutEvent } from './record/history.ts';
export { EMPTY_RECORD, type Failure, type RolloutRecord, type ScopeRecord, type ShardRecord } from './record/record.ts';
export { needsStoring, usableRecord } from './record/record-age.ts';
export { formatRecord, parseRecord } from './record/record-bytes.ts';
export {
  RECORD_KEY,
  type RolloutRecords,
  recordKey,
  rolloutRecords,
  type StoredRecord,
} from './record/record-store.ts';
export { type RecordedScope, recordedScope } from './record/recorded-scope.ts';
export type { ShadowRecord } from './record/shadow-record.ts';
export { type BoardTrack, type BoardWave, type RolloutBoard, rolloutBoard } from './views/board.ts';
export type { BoardShard, BoardShardState } from './views/board-shard.ts';
export type { EndedDecision } from './views/ended-decisions.ts';
export { explainView } from './views/explain-view.ts';
export { forecastView } from './views/forecast-view.ts';
export { historyView } from './views/history-view.ts';
export type { RolloutView } from './views/rollout-view.ts';
export { statusView } from './views/status-view.ts';
export { watchedRollouts } from './views/watched-rollouts.ts';
