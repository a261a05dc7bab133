import * as z from 'zod';
import {
  count,
  defined,
  escapeControls,
  escapeControlsInText,
  markdownPlain,
  shortDigests,
  shortened,
} from '../../base/index.ts';
import { waveLines } from '../../rollouts/index.ts';
import { upstreamTitle } from '../discover/known-keys.ts';
import { countText } from './plan-text.ts';
import { type PromotionPlan, planVersions } from './promotion-plan.ts';
import type { ShardMove } from './shard-moves.ts';
import type { CommitAuthor, Range } from './upstream-commits.ts';

const MOST_COMMITS = 100;
const MOST_HELD = 30;
const LONGEST_DIFF = 20_000;
const FEW_COMMITS = 20;
/** The limit of GitHub is 65,536; what does not fit is left out, warnings and metadata last. */
const LONGEST_DESCRIPTION = 60_000;

/** `[echelon] promote qontract-reconcile to 8c41f7e (production)` */
export function promotionTitle(plan: PromotionPlan): string {
  const { upstream, scope, isRollback, undoes } = plan;
  const verb = undoes?.isRollback === true ? 'ROLLBACK of a rollback:' : isRollback ? 'ROLLBACK' : 'promote';
  const some = scope.length === 0 ? '' : ` (${scope.join(', ')})`;
  return `[echelon] ${verb} ${upstreamTitle(upstream)} to ${planVersions(plan)}${some}`;
}

/** The description of a merge request: the plan as Markdown, and the metadata for the next run. */
export function promotionDescription(plan: PromotionPlan, diff: string): string {
  // Times of waves would change the description with every run.
  const { rollout: _, ...lasting } = plan;
  const metadata = metadataBlock(metadataOf(plan));
  const room = LONGEST_DESCRIPTION - metadata.length - START.length;
  const few = lasting.ranges.map((range) => ({ ...range, commits: range.commits.slice(0, FEW_COMMITS) }));
  const texts = [
    () => promotionMarkdown(lasting, diff),
    () => promotionMarkdown(lasting, ''),
    () => promotionMarkdown({ ...lasting, ranges: few }, ''),
    () => `${[changesText(lasting).slice(0, room / 3), notesText(lasting).slice(0, room / 2)].join('\n')}\n`,
  ].map((text) => text());
  const text = texts.find((each) => each.length <= room) ?? texts.at(-1);
  return `${START}${text}\n${metadata}\n`;
}

/** The plan as Markdown. The same plan gives the same text. */
export function promotionMarkdown(plan: PromotionPlan, diff: string): string {
  const sections = [
    plan.isRollback ? rollbackText(plan) : '',
    changesText(plan),
    ...plan.ranges.map((range) => rangeText(range)),
    authorsText(plan.people),
    shardsText(plan),
    notesText(plan),
    wavesText(plan),
    diff === ''
      ? ''
      : `<details><summary>Diff</summary>\n\n${fenced(escapeControlsInText(diff.slice(0, LONGEST_DIFF)))}\n</details>\n`,
  ];
  return sections.filter((section) => section !== '').join('\n');
}

function rollbackText({ undoes }: PromotionPlan): string {
  if (undoes === undefined) return '**ROLLBACK**: the new commit is behind the running one, or has diverged from it.\n';
  const { commit, subject, isRollback } = undoes;
  const what = isRollback ? 'undoes a rollback,' : 'takes back';
  return `**ROLLBACK**: ${what} ${commit === undefined ? '' : `${code(commit.slice(0, 7))} `}${plain(subject)}.\n`;
}

function changesText({ items, upstream, version, undoes }: PromotionPlan): string {
  const rows = items.map((item) => [
    item.target,
    item.environment ?? '',
    code(shown(item.old)),
    item.changed ? code(item.value === undefined ? '?' : shown(item.value)) : 'unchanged',
    `${item.file}:${item.line}`,
  ]);
  const table = [['target', 'environment', 'old', 'new', 'file'], ['---', '---', '---', '---', '---'], ...rows];
  const lines = table.map(
    (cells) =>
      `| ${cells.map((cell, column) => (column === 2 || column === 3 || cell === '---' ? cell : plain(cell))).join(' | ')} |`,
  );
  const head =
    undoes === undefined
      ? `Promotes ${plain(upstreamTitle(upstream))} to ${code(version.commit)}.`
      : `Gives ${plain(upstreamTitle(upstream))} the versions from before that change.`;
  return `${head}\n\n${lines.join('\n')}\n`;
}

function shown(value: string): string {
  return value.startsWith('sha256:') ? value.slice(0, 19) : value;
}

function rangeText(range: Range): string {
  const { from, to, link, relation, commits, total, targets } = range;
  const way = `${code(from.slice(0, 7))} → ${code(to.slice(0, 7))}`;
  const title = `### ${relation === 'behind' || relation === 'diverged' ? 'ROLLBACK ' : ''}${way}: ${relation === 'unknown' ? 'unknown commits' : countText(range)}`;
  const listed = commits
    .slice(0, MOST_COMMITS)
    .map(
      ({ sha, subject, author }) => `- ${code(sha.slice(0, 7))} ${plain(shortened(subject))} (${plain(author.name)})`,
    );
  const more = total - listed.length;
  return [
    title,
    '',
    ...(link === undefined ? [] : [`[Compare](${escapeControls(link)})`, '']),
    `For ${targets.map(plain).join(', ')}.`,
    '',
    ...listed,
    ...(more > 0 && listed.length > 0 ? [`- and ${more} more`] : []),
    '',
  ].join('\n');
}

/** Known users are mentioned, which notifies them. */
function authorsText(people: readonly CommitAuthor[]): string {
  if (people.length === 0) return '';
  const names = people.map(
    ({ name, username, commits }) =>
      `${username === undefined ? plain(name) : `@${escapeControls(username)}`} (${commits})`,
  );
  return `### Authors to notify\n\n${names.join(', ')}\n`;
}

function shardsText({ shards }: PromotionPlan): string {
  const environments = Map.groupBy([...shards.moving, ...shards.held], ({ environment }) => environment);
  if (environments.size === 0) return '';
  const lines = [...environments].map(([environment, all]) => {
    const held = all.filter((move) => shards.held.includes(move)).length;
    const [first] = all;
    return `- ${plain(environment)}: ${count(all.length - held, 'shard')} ${all.length - held === 1 ? 'moves' : 'move'} ${code(first?.before ?? '')} → ${code(first?.after ?? '')}, ${held} held by pins`;
  });
  return ['### Shards', '', ...lines, ...heldText(shards.held), ''].join('\n');
}

function heldText(held: readonly ShardMove[]): string[] {
  const lines = held
    .slice(0, MOST_HELD)
    .map(
      ({ integration, shard, environment, pin }) =>
        `  - ${plain(`${integration} ${shard}`)} (${plain(environment)}) stays at ${code(shortDigests(pin ?? ''))}`,
    );
  const more = held.length - lines.length;
  return more > 0 ? [...lines, `  - and ${more} more`] : lines;
}

function wavesText({ rollout }: PromotionPlan): string {
  if (rollout === undefined) return '';
  const lines = waveLines(rollout).map((text) => `${text.startsWith('  ') ? '  ' : ''}- ${plain(text.trim())}`);
  return `### Rollout\n\n${lines.join('\n')}\n\n${plain(rollout.basis)}.\n`;
}

function notesText({ notes }: PromotionPlan): string {
  if (notes.length === 0) return '';
  const lines = notes.map(({ message, at }) => `- ${at === undefined ? '' : `${plain(at)}: `}${plain(message)}`);
  return `### Warnings\n\n${lines.join('\n')}\n`;
}

/** Escapes markup, mentions, references and links. */
function plain(text: string): string {
  return markdownPlain(text.replaceAll(/\s+/g, ' '))
    .replaceAll(/[#!~%](?=[\w"'])/g, '$&\u200b')
    .replaceAll(/\bGH-(?=\d)/gi, '$&\u200b');
}

function code(text: string): string {
  return `\`${escapeControls(text.replaceAll(/[`\n|]/g, ' '))}\``;
}

/** A fence longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}diff\n${text.endsWith('\n') ? text : `${text}\n`}${fence}`;
}

const MARKER = 'echelon:promotion';
/** Where the text of a merge request begins that is replaced by the next run; it ends with the metadata. */
const START = `<!-- ${MARKER}:text -->\n`;
const BLOCK = new RegExp(`<!-- ${MARKER} (\\{.*?\\}) -->`, 's');

const shape = z.object({
  version: z.literal(1),
  upstream: z.string(),
  commit: z.string(),
  targets: z.array(z.string()),
  /** Absent for a promotion. */
  kind: z.literal('rollback').exactOptional(),
  /** Of a commit: a hash of the files that it changes. */
  content: z.string().exactOptional(),
});

/** What a merge request records for the next run. */
export type PromotionMetadata = z.infer<typeof shape>;

export function metadataOf({ upstream, version, targets, undoes }: PromotionPlan): PromotionMetadata {
  const kind = undoes === undefined ? undefined : ('rollback' as const);
  return { version: 1, upstream: upstream.name, commit: version.commit, targets: [...targets], ...defined({ kind }) };
}

/** A hidden HTML comment. Its content cannot end the comment. */
export function metadataBlock(metadata: PromotionMetadata): string {
  const text = JSON.stringify(metadata).replaceAll('>', '\\u003e').replaceAll('--', '-\\u002d');
  return `<!-- ${MARKER} ${text} -->`;
}

/** The first valid block of a description; undefined if it has none. */
export function readMetadata(description: string): PromotionMetadata | undefined {
  const found = BLOCK.exec(description)?.[1];
  return found === undefined ? undefined : parsed(found);
}

/** The line of a commit message that says what was promoted. */
export function metadataLine(metadata: PromotionMetadata): string {
  return `Echelon-Promotion: ${JSON.stringify(metadata)}`;
}

export function readMetadataLine(message: string): PromotionMetadata | undefined {
  const found = /^Echelon-Promotion: (\{.*\})$/m.exec(message)?.[1];
  return found === undefined ? undefined : parsed(found);
}

function parsed(text: string): PromotionMetadata | undefined {
  try {
    const result = shape.safeParse(JSON.parse(text));
    return result.success ? result.data : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a newer promotion does everything that an older one would have done. */
export function supersedes(newer: PromotionMetadata, older: PromotionMetadata): boolean {
  const isSame = newer.upstream === older.upstream && newer.kind === older.kind;
  return isSame && older.targets.every((target) => newer.targets.includes(target));
}

const DRAFT = /^(?:(?:draft|wip):\s*|\[(?:draft|wip)\]\s*)+/i;

/** The new title; what marks a draft stays, and so does a title that somebody else wrote. */
export function updatedTitle(before: string, title: string): string {
  const draft = DRAFT.exec(before)?.[0] ?? '';
  return before.slice(draft.length).startsWith('[echelon] ') ? `${draft}${title}` : before;
}

/** The new text in place of the old one; what people wrote before and after it stays. */
export function updatedDescription(before: string, description: string): string {
  const text = before.replaceAll('\r\n', '\n');
  const block = BLOCK.exec(text);
  if (block === null) return text.trim() === '' ? description : `${text.trimEnd()}\n\n${description}`;
  const head = text.slice(0, block.index);
  const start = head.lastIndexOf(START);
  const end = block.index + block[0].length;
  const own = description.trimEnd();
  return `${start === -1 ? '' : head.slice(0, start)}${own}${text.slice(end).trimEnd() === '' ? '\n' : text.slice(end)}`;
}
