import { defined, EchelonError, isJson } from '../../base/index.ts';
import { type FileEdit, readInstance, type Snapshot, yamlModels } from '../../instance/index.ts';
import { type PlannedWaves, plannedWaves, type RecordedScope } from '../../rollouts/index.ts';
import { uncovered } from '../discover/uncovered.ts';
import type { Note, UpstreamCommit, UpstreamHistory } from '../ports.ts';
import { findTarget, type Sources, type TargetLocation, type Version, versionText } from '../targets/find-targets.ts';
import type { Target } from '../targets/promotion-file.ts';
import { editTargets, type NewValue, type PlannedEdits, type PlannedItem, type ReadTargets } from './plan-edits.ts';
import { cronNotes, type ShardMoves, shardMoves } from './shard-moves.ts';
import {
  authorsToNotify,
  type Caller,
  type CommitAuthor,
  type Range,
  rangesOf,
  rollbackNotes,
} from './upstream-commits.ts';
import { digestNotes, type SchemasState, schemasNotes } from './warnings.ts';

/** What a promotion changes, with warnings. Data: it is printed, and nothing else is written. */
export interface PromotionPlan {
  readonly upstream: { readonly name: string; readonly url?: string };
  readonly version: Version;
  /** `--only`, as given; empty for everything. */
  readonly scope: readonly string[];
  readonly targets: readonly string[];
  readonly items: readonly PlannedItem[];
  readonly files: readonly FileEdit[];
  /** Targets whose digest is unknown: nothing may be written without them. */
  readonly pending: readonly string[];
  readonly ranges: readonly Range[];
  readonly people: readonly CommitAuthor[];
  readonly shards: ShardMoves;
  /** Absent where new images reach all shards at once. */
  readonly rollout?: PlannedWaves;
  readonly notes: readonly Note[];
  /** The new commit is behind the old one or diverged from it, or the last change is taken back. */
  readonly isRollback: boolean;
  /** The change that is taken back; absent for a promotion to a version that was asked for. */
  readonly undoes?: UndoneChange;
}

/** A change of targets in the history of an instance. */
export interface UndoneChange {
  /** Absent for a change that is not committed. */
  readonly commit?: string;
  /** First line of its message. */
  readonly subject: string;
  /** It took targets back to versions that they had before. */
  readonly isRollback: boolean;
}

/** `1a2b3c4 (promote it)`. */
export function changeText({ commit, subject }: Pick<UndoneChange, 'commit' | 'subject'>): string {
  return commit === undefined ? subject : `${commit.slice(0, 7)} (${subject})`;
}

/** `8c41f7e`, or all versions where a rollback brings back several. */
export function planVersions({ version, items, undoes }: Pick<PromotionPlan, 'version' | 'items' | 'undoes'>): string {
  if (undoes === undefined) return versionText(version);
  const values = items.flatMap(({ form, changed, value }) =>
    changed && form !== 'digest' && value !== undefined
      ? [/^[0-9a-f]{40}$/.test(value) ? value.slice(0, version.hashLength) : value]
      : [],
  );
  const versions = [...new Set(values)];
  return versions.length === 0 ? versionText(version) : versions.join(' and ');
}

interface PlanFacts extends Sources {
  readonly upstream: { readonly name: string; readonly url?: string };
  readonly version: Version;
  readonly found: ReadTargets;
  readonly newValue: NewValue;
  /** The change that is taken back, and whether it may be a rollback itself. */
  readonly undoes?: UndoneChange;
  readonly undoRollback?: boolean;
  readonly targets: readonly Target[];
  /** Every target of the upstream, including excluded ones. */
  readonly allTargets: readonly Target[];
  readonly scope: readonly string[];
  readonly history: UpstreamHistory;
  readonly caller: Caller;
  readonly allowRollback: boolean;
  readonly schemas?: SchemasState;
  readonly now: Date;
  /** What rollouts remember; absent where no record is given. */
  readonly recorded?: RecordedScope;
  /** Warnings for old pins. */
  readonly oldPins?: readonly Note[];
}

/** Decides what a promotion changes; throws if it is not allowed as requested. */
export async function makePromotionPlan(facts: PlanFacts): Promise<PromotionPlan> {
  const { upstream, version, snapshot } = facts;
  const edits = editTargets(facts.found.values, facts.read, facts.newValue);
  const ranges = await rangesOf(edits.items, facts.undoes === undefined ? version.commit : undefined, facts.history);
  const undoes = undoneChange(facts, ranges);
  const back = rollbackNotes(ranges, facts.allowRollback, facts.history);
  const after = snapshotAfter(snapshot, edits.files);
  const old = readInstance(snapshot);
  const promoted = readInstance(snapshotAfter(snapshot, intended(facts, edits)));
  const shards = shardMoves(old, promoted);
  const rollout = await plannedWaves(old, promoted, facts.now, facts.recorded);
  const notes = [
    ...back,
    ...(upstream.name === 'schemas' ? [] : await schemasNotes(ranges, facts.history, facts.schemas)),
    ...facts.found.notes,
    ...edits.pending.map(digestNeeded),
    ...digestNotes(
      snapshot,
      after,
      edits.files.map(({ file }) => file),
    ),
    ...uncovered(facts, { upstream, places: placesOf(facts), old: oldCommits(edits.items) }),
    ...cronNotes(shards),
    ...leftOut(ranges),
    ...(facts.oldPins ?? []),
  ];
  return {
    upstream,
    version,
    scope: facts.scope,
    targets: facts.targets.map(({ name }) => name),
    items: edits.items,
    files: edits.files,
    pending: edits.pending,
    ranges,
    people: authorsToNotify(distinctCommits(ranges), snapshot, facts.caller),
    shards,
    ...defined({ rollout }),
    notes,
    isRollback: undoes !== undefined || back.some(({ rule }) => rule === 'rollback'),
    ...defined({ undoes }),
  };
}

/** A change that went back to an older version, by its own history or that of the upstream, is taken back only with consent. */
function undoneChange({ undoes, undoRollback }: PlanFacts, ranges: readonly Range[]): UndoneChange | undefined {
  if (undoes === undefined) return undefined;
  const forward = ranges.find(({ relation }) => relation === 'ahead');
  if (!undoes.isRollback && forward === undefined) return undoes;
  if (undoRollback !== true) {
    const [{ from, to } = { from: 'now', to: 'it' }] = forward === undefined ? ranges : [forward];
    throw new EchelonError({
      code: 'ROLLBACK_OF_ROLLBACK',
      message: `the last change, ${changeText(undoes)}, is a rollback itself: taking it back replaces ${from.slice(0, 7)} by ${to.slice(0, 7)} again. Nothing was promoted`,
      hint: 'pass --undo-rollback if that is intended, or choose a version: echelon promote plan --to COMMIT --allow-rollback',
    });
  }
  return { ...undoes, isRollback: true };
}

/** Includes tags whose digest is still pending: their new value is already known. */
function intended(facts: PlanFacts, { pending, files }: PlannedEdits): readonly FileEdit[] {
  if (pending.length === 0) return files;
  const digest = `sha256:${'0'.repeat(64)}`;
  return editTargets(
    facts.found.values,
    facts.read,
    (value) => facts.newValue(value) ?? (value.form === 'digest' ? digest : undefined),
  ).files;
}

/** Targets of other upstreams count as covered too; one that cannot be found does not affect this promotion. */
function placesOf(facts: PlanFacts): TargetLocation[] {
  return facts.allTargets.flatMap((target) => {
    try {
      return findTarget(target, facts).flatMap((place) =>
        place.by === 'yaml' && place.digest !== undefined ? [place, { ...place, keys: place.digest }] : [place],
      );
    } catch {
      return [];
    }
  });
}

function oldCommits(items: readonly PlannedItem[]): string[] {
  return [...new Set(items.filter(({ changed, form }) => changed && form !== 'digest').map(({ old }) => old))];
}

function distinctCommits(ranges: readonly Range[]): UpstreamCommit[] {
  const commits = ranges
    .filter(({ relation }) => relation === 'ahead' || relation === 'behind')
    .flatMap((range) => range.commits);
  return [...new Map(commits.map((commit) => [commit.sha, commit])).values()];
}

/** A long range lists its newest commits only. */
function leftOut(ranges: readonly Range[]): Note[] {
  return ranges
    .filter(({ commits, total, relation }) => total > commits.length && relation !== 'unknown')
    .map(({ from, to, commits, total }) => ({
      rule: 'authors-left-out',
      message: `${from.slice(0, 7)}..${to.slice(0, 7)} has ${total} commits, of which ${total - commits.length} are not listed: their authors are not named`,
      hint: 'see the compare link for the others',
    }));
}

function digestNeeded(target: string): Note {
  return {
    rule: 'digest-needed',
    message: `target ${target} is a tag with a digest, and the new image's digest is unknown: neither is changed`,
    hint: 'pass --check-image to query the registry, or set it with --digest',
  };
}

/** The instance with the edits applied. */
function snapshotAfter(snapshot: Snapshot, files: readonly FileEdit[]): Snapshot {
  const texts = new Map(files.map(({ file, after }) => [file, Buffer.from(after).toString('utf8')]));
  const datafiles = new Map(snapshot.datafiles);
  for (const [file, text] of texts) {
    const path = file.replace(/^data/, '');
    const old = datafiles.get(path);
    const content = old === undefined ? undefined : yamlModels(text.replace(/^\uFEFF/, '')).yaml11[0];
    if (old !== undefined && isJson(content)) datafiles.set(path, { ...old, content });
  }
  const echelonFiles = new Map(
    [...snapshot.echelonFiles].map(([path, text]) => [path, texts.get(`resources${path}`) ?? text]),
  );
  return { ...snapshot, datafiles, echelonFiles, text: (path) => texts.get(`data${path}`) ?? snapshot.text(path) };
}
