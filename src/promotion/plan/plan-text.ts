import { count, defined, escapeControls, shortDigests, type Table } from '../../base/index.ts';
import type { FileEdit } from '../../instance/index.ts';
import { upstreamTitle } from '../discover/known-keys.ts';
import type { PlannedItem } from './plan-edits.ts';
import { changeText, type PromotionPlan, planVersions, type UndoneChange } from './promotion-plan.ts';
import type { CommitAuthor, Range } from './upstream-commits.ts';

const FEW_COMMITS = 20;
const FEW_SHARDS = 10;

/** What changes where, for a terminal. */
export function promotionTable({ items }: PromotionPlan, wide: boolean): Table {
  return {
    titles: ['TARGET', 'ENVIRONMENT', 'OLD', 'NEW', 'FILE', ...(wide ? ['KEY', 'FORM'] : [])],
    rows: items.map((item) => [
      item.target,
      item.environment ?? '-',
      shown(item.old, wide),
      newText(item, wide),
      `${item.file}:${item.line}`,
      ...(wide ? [item.key, item.form] : []),
    ]),
  };
}

function shown(value: string, wide: boolean): string {
  if (value === '' || wide) return value || '""';
  if (value.startsWith('sha256:')) return `${value.slice(0, 19)}…`;
  return value.length === 40 ? `${value.slice(0, 12)}…` : value;
}

function newText({ value, changed }: PlannedItem, wide: boolean): string {
  if (!changed) return 'unchanged';
  return value === undefined ? 'unknown' : shown(value, wide);
}

/** `3 values in 2 files to qontract-reconcile 8c41f7e.` */
export function promotionSummary(plan: PromotionPlan): string {
  const { items, pending, files, upstream, undoes } = plan;
  const changes = items.filter(({ changed }) => changed).length;
  const waiting = items.filter(({ target, changed }) => changed && pending.includes(target)).length;
  const to = `${upstreamTitle(upstream)} ${planVersions(plan)}`;
  if (changes === 0) return `Nothing to do: everything is already at ${to}.`;
  const rest = waiting === 0 ? '' : `; ${waiting} more pending a digest`;
  const back = undoes === undefined ? '' : `\n${undoneText(undoes)}`;
  return `${count(changes - waiting, 'value')} in ${count(files.length, 'file')} to ${to}${rest}.${back}`;
}

/** `ROLLBACK: takes back 1a2b3c4 (promote it).` */
function undoneText(undoes: UndoneChange): string {
  const what = undoes.isRollback ? 'undoes a rollback,' : 'takes back';
  return `ROLLBACK: ${what} ${escapeControls(changeText(undoes))}.`;
}

interface RangeText {
  readonly isRollback: boolean;
  /** `8c41f7e..0473914` */
  readonly way: string;
  readonly about: string;
  readonly lines: readonly string[];
}

/** The commits between two versions. */
export function rangeText(range: Range, wide: boolean): RangeText {
  const { from, to, relation, total, commits, link, targets } = range;
  const known = relation === 'unknown' ? 'unknown commits' : countText(range);
  const listed = wide ? commits : commits.slice(0, FEW_COMMITS);
  const more = total - listed.length;
  return {
    isRollback: relation === 'behind' || relation === 'diverged',
    way: `${from.slice(0, 7)}..${to.slice(0, 7)}`,
    about: `${known}, for ${targets.join(', ')}`,
    lines: [
      ...(link === undefined ? [] : [`  ${link}`]),
      ...listed.map(({ sha, subject, author }) => `  ${sha.slice(0, 7)} ${subject} (${author.name})`),
      ...(more > 0 && listed.length > 0 ? [`  and ${more} more`] : []),
    ],
  };
}

/** `2 commits`; of a version that is behind, those that are taken back. */
export function countText({ relation, total }: Range): string {
  return `${relation === 'behind' ? 'takes back ' : ''}${count(total, 'commit')}`;
}

/** `Ada (ada): 2 commits`. */
export function authorText({ name, username, commits }: CommitAuthor): string {
  return `${name}${username === undefined ? '' : ` (${username})`}: ${count(commits, 'commit')}`;
}

/** Per environment: how many shards move, then those that pins hold. */
export function shardLines({ shards: { moving, held } }: PromotionPlan, wide: boolean): string[][] {
  return [...Map.groupBy([...moving, ...held], ({ environment }) => environment)].map(([environment, all]) => {
    const kept = held.filter((move) => move.environment === environment);
    const [first] = all;
    const moved = all.length - kept.length;
    const listed = wide ? kept : kept.slice(0, FEW_SHARDS);
    return [
      `${environment}: ${count(moved, 'shard')} ${moved === 1 ? 'moves' : 'move'} ${first?.before} -> ${first?.after}; ${count(kept.length, 'shard')} held by pins`,
      ...listed.map(({ integration, shard, pin }) => `  ${integration} ${shard} stays at ${shortDigests(pin ?? '')}`),
      ...(kept.length > listed.length ? [`  and ${kept.length - listed.length} more`] : []),
    ];
  });
}

/** Machine-readable; file contents are represented by the diff. */
export function promotionDocument(plan: PromotionPlan, diff: string): object {
  return {
    upstream: plan.upstream,
    commit: plan.version.commit,
    ...defined({ digest: plan.version.digest }),
    scope: plan.scope,
    rollback: plan.isRollback,
    ...defined({ undoes: plan.undoes }),
    items: plan.items,
    files: plan.files.map(({ file }) => file),
    pending: plan.pending,
    ranges: plan.ranges,
    people: plan.people,
    shards: plan.shards,
    ...defined({ rollout: plan.rollout }),
    notes: plan.notes,
    diff,
  };
}

/** A unified diff in git's format, with the given number of context lines. */
export async function unifiedDiff(files: readonly FileEdit[], context = 1): Promise<string> {
  if (files.length === 0) return '';
  const { createTwoFilesPatch } = await import('diff');
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
  return files
    .map(({ file, before, after }) =>
      createTwoFilesPatch(`a/${file}`, `b/${file}`, text(before), text(after), undefined, undefined, {
        context,
      }).replace(/^=+\n/, ''),
    )
    .join('');
}
