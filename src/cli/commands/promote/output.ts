import { count, defined, shortDigests } from '../../../base/index.ts';
import {
  type PlannedItem,
  type PromotionPlan,
  promotionMarkdown,
  type Range,
  repositoryName,
  unifiedDiff,
} from '../../../promotion/index.ts';
import type { Io } from '../../io.ts';
import { type Paint, paintFor } from '../../output/colour.ts';
import { paintedDiff } from '../../output/diff.ts';
import { API_VERSION } from '../../output/format.ts';
import { textTable } from '../../output/table.ts';
import { line } from '../../output/terminal.ts';
import { documentWriters, type Writer, type Writers, writerFor } from '../../output/writers.ts';
import type { PromoteFlags } from './promote-flags.ts';

const FEW_COMMITS = 20;
const FEW_SHARDS = 10;

interface ShownPlan {
  readonly plan: PromotionPlan;
  readonly diff: string;
  /** Paint for standard error. */
  readonly notesPaint: Paint;
}

const DOCUMENTS = documentWriters(planDocument);
const WRITERS: Writers<ShownPlan> = {
  table: noted(inTables({ wide: false })),
  wide: noted(inTables({ wide: true })),
  json: noted(DOCUMENTS.json),
  yaml: noted(DOCUMENTS.yaml),
  name: undefined,
  markdown: (io, { plan, diff }) => io.stdout.write(promotionMarkdown(plan, diff)),
};

/** Prints a plan: data on standard output, warnings on standard error. Rejects an unsupported format immediately. */
export function planPrinter(io: Io, flags: PromoteFlags, command: string): (plan: PromotionPlan) => Promise<void> {
  const write = writerFor(WRITERS, flags.output, command);
  return async (plan) => {
    const notesPaint = paintFor(io.stderr, io.env, flags.color);
    const shown = { plan, diff: await unifiedDiff(plan.files), notesPaint };
    await write(io, shown, paintFor(io.stdout, io.env, flags.color));
  };
}

function inTables({ wide }: { readonly wide: boolean }): Writer<ShownPlan> {
  return (io, { plan, diff }, paint) => printTables(io, plan, diff, { wide, paint });
}

function noted(writer: Writer<ShownPlan>): Writer<ShownPlan> {
  return async (io, shown, paint) => {
    await writer(io, shown, paint);
    printNotes(io, shown.plan, shown.notesPaint);
  };
}

interface TableStyle {
  readonly wide: boolean;
  readonly paint: Paint;
}

function printTables(io: Io, plan: PromotionPlan, diff: string, { wide, paint }: TableStyle): void {
  const titles = ['TARGET', 'ENVIRONMENT', 'OLD', 'NEW', 'FILE', ...(wide ? ['KEY', 'FORM'] : [])];
  const rows = plan.items.map((item) => [
    item.target,
    item.environment ?? '-',
    shown(item.old, wide),
    newText(item, wide),
    `${item.file}:${item.line}`,
    ...(wide ? [item.key, item.form] : []),
  ]);
  io.stdout.write(textTable(titles, rows, paint));
  const changes = plan.items.filter(({ changed }) => changed).length;
  const waiting = plan.items.filter(({ target, changed }) => changed && plan.pending.includes(target)).length;
  const to = `${repositoryName(plan.upstream.url)} ${plan.version.commit.slice(0, plan.version.hashLength)}`;
  io.stdout.write(
    changes === 0
      ? `\nNothing to do: everything is already at ${to}.\n`
      : `\n${count(changes - waiting, 'value')} in ${count(plan.files.length, 'file')} to ${to}${waiting === 0 ? '' : `; ${waiting} more pending a digest`}.\n`,
  );
  if (diff !== '') io.stdout.write(`\n${paintedDiff(diff, paint)}`);
  for (const range of plan.ranges) io.stdout.write(`\n${rangeText(range, paint, wide)}`);
  if (plan.people.length > 0) io.stdout.write(`\n${line(`To notify: ${plan.people.map(authorText).join(', ')}`)}`);
  printShards(io, plan, wide);
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

function rangeText({ from, to, relation, total, commits, link, targets }: Range, paint: Paint, wide: boolean): string {
  const back = relation === 'behind' || relation === 'diverged';
  const way = `${from.slice(0, 7)}..${to.slice(0, 7)}`;
  const known = relation === 'unknown' ? 'unknown commits' : count(total, 'commit');
  const shownCommits = wide ? commits : commits.slice(0, FEW_COMMITS);
  const more = total - shownCommits.length;
  const lines = [
    `${back ? `${paint('red', 'ROLLBACK')} ` : ''}${paint('bold', way)}: ${known}, for ${targets.join(', ')}`,
    ...(link === undefined ? [] : [`  ${link}`]),
    ...shownCommits.map(({ sha, subject, author }) => `  ${sha.slice(0, 7)} ${subject} (${author.name})`),
    ...(more > 0 && shownCommits.length > 0 ? [`  and ${more} more`] : []),
  ];
  return lines.map(line).join('');
}

function authorText({ name, username, commits }: PromotionPlan['people'][number]): string {
  return `${name}${username === undefined ? '' : ` (${username})`}: ${count(commits, 'commit')}`;
}

function printShards(io: Io, { shards: { moving, held } }: PromotionPlan, wide: boolean): void {
  const environments = Map.groupBy([...moving, ...held], ({ environment }) => environment);
  for (const [environment, all] of environments) {
    const kept = held.filter((move) => move.environment === environment);
    const [first] = all;
    const moved = all.length - kept.length;
    io.stdout.write(
      `\n${line(`${environment}: ${count(moved, 'shard')} ${moved === 1 ? 'moves' : 'move'} ${first?.before} -> ${first?.after}; ${count(kept.length, 'shard')} held by pins`)}`,
    );
    const listed = wide ? kept : kept.slice(0, FEW_SHARDS);
    for (const { integration, shard, pin } of listed)
      io.stdout.write(line(`  ${integration} ${shard} stays at ${shortDigests(pin ?? '')}`));
    if (kept.length > listed.length) io.stdout.write(`  and ${kept.length - listed.length} more\n`);
  }
}

function printNotes(io: Io, { notes }: PromotionPlan, paint: Paint): void {
  for (const [index, { at, message, hint, rule }] of notes.entries()) {
    const place = at === undefined ? '' : `${paint('bold', at)}: `;
    /** A hint shared by consecutive warnings is printed once, after the last. */
    const isSame = notes[index + 1]?.hint === hint;
    io.stderr.write(line(`${place}${paint('yellow', 'warning')}: ${message} [${rule}]`));
    if (!isSame) io.stderr.write(line(`    ${hint}`));
  }
}

/** Machine-readable; file contents are represented by the diff. */
function planDocument({ plan, diff }: ShownPlan): object {
  return {
    apiVersion: API_VERSION,
    kind: 'PromotionPlan',
    upstream: plan.upstream,
    commit: plan.version.commit,
    ...defined({ digest: plan.version.digest }),
    scope: plan.scope,
    rollback: plan.isRollback,
    items: plan.items,
    files: plan.files.map(({ file }) => file),
    pending: plan.pending,
    ranges: plan.ranges,
    people: plan.people,
    shards: plan.shards,
    notes: plan.notes,
    diff,
  };
}
