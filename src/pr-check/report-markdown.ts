import { count, markdownCode, markdownPlain, markdownRow } from '../base/index.ts';
import type { Problem } from '../instance/index.ts';
import { waveLines } from '../rollouts/index.ts';
import { shadowMarkdown } from '../shadow/index.ts';
import { behindText, type CheckReport, type PlannedRun, type RunResult, shardsText, verdictOf } from './report.ts';
import type { Reason } from './select-integrations.ts';
import { groupedChanges, shardNames } from './workloads.ts';

/** The comment size limit of forges, minus room for a marker. */
export const MAX_MARKDOWN = 60_000;
const MOST_ROWS = 100;
const MOST_PROBLEMS = 30;
/** Room reserved for the logs of failed runs. */
const LOG_SHARE = 24_000;

/** Accepts blocks while there is room. */
interface Page {
  text: string;
  readonly limit: number;
}

function add(page: Page, text: string, reserve = 0): boolean {
  if (page.text.length + text.length > page.limit - reserve) return false;
  page.text += text;
  return true;
}

/** The report as a merge request comment. Content from data and logs is escaped. */
export function checkMarkdown(report: CheckReport, limit = MAX_MARKDOWN): string {
  const page: Page = { text: '', limit: limit - 200 };
  const { ok, failures } = verdictOf(report);
  const done = report.results === undefined ? 'Check plan' : 'Check';
  add(page, `### ${done}: ${ok ? 'no problems' : failures.join(', ')}\n\n`);
  add(
    page,
    `${commitText(report.base)} → ${commitText(report.head)}, ${count(report.files.length, 'changed file')}.\n\n`,
  );
  if (report.base.behind !== undefined) add(page, `${markdownPlain(behindText(report.base, report.base.behind))}.\n\n`);
  problemSection(page, report);
  workloadSection(page, report);
  runSection(page, report);
  logSection(page, report);
  shadowSection(page, report);
  waveSection(page, report);
  choiceSection(page, report);
  return page.text;
}

function commitText({ ref, commit }: CheckReport['base']): string {
  return commit === undefined
    ? markdownPlain(ref)
    : `${commit.slice(0, 7)}${ref === commit ? '' : ` (${markdownPlain(ref)})`}`;
}

function table(page: Page, titles: readonly string[], rows: readonly (readonly string[])[], most = MOST_ROWS): void {
  if (!add(page, markdownRow(titles) + markdownRow(titles.map(() => '---')), LOG_SHARE)) return;
  const shown = rows.slice(0, most).findIndex((cells) => !add(page, markdownRow(cells), LOG_SHARE));
  const left = rows.length - (shown === -1 ? Math.min(most, rows.length) : shown);
  add(page, left === 0 ? '\n' : `\n… and ${left} more.\n\n`);
}

function problemSection(page: Page, { validation: { added, kept, gone } }: CheckReport): void {
  const known = kept.length === 0 ? '' : ` (${count(kept.length, 'problem')} at base)`;
  const fixed = gone.length === 0 ? '' : `, ${gone.length} fixed`;
  const found = added.length === 0 ? 'no new problem' : count(added.length, 'new problem');
  add(page, `**Validation**: ${found}${known}${fixed}\n\n`);
  if (added.length === 0) return;
  const cells = (problem: Problem): string[] => [
    problem.severity,
    markdownPlain(`${problem.file}${problem.line === undefined ? '' : `:${problem.line}`}`),
    markdownPlain(problem.message),
    markdownPlain(problem.hint),
  ];
  table(page, ['', 'where', 'problem', 'hint'], added.map(cells), MOST_PROBLEMS);
}

function workloadSection(page: Page, { workloads }: CheckReport): void {
  if (workloads === undefined) return;
  const { difference, troubles, guard } = workloads;
  add(page, `**Workloads**: ${difference.summary}\n\n`);
  for (const text of guard) add(page, `- :warning: ${markdownPlain(text)}\n`, LOG_SHARE);
  for (const { message, known } of troubles) {
    add(page, `- ${known ? 'already at base, ' : ''}not rendered: ${markdownPlain(message)}\n`, LOG_SHARE);
  }
  if (guard.length + troubles.length > 0) add(page, '\n');
  if (difference.changes.length === 0) return;
  const rows = groupedChanges(difference.changes).map(({ environment, integration, change, shards }) =>
    [environment, integration, change, shardNames(shards)].map(markdownPlain),
  );
  table(page, ['environment', 'integration', 'change', 'shards'], rows);
}

const RESULTS: Readonly<Record<RunResult['end'], string>> = {
  passed: ':white_check_mark: passed',
  failed: ':x: failed',
  'timed-out': ':x: timed out',
  'not-started': ':x: did not start',
  skipped: 'not run',
};

function runSection(page: Page, { runs, results, notes }: CheckReport): void {
  const ends = new Map((results ?? []).map((result) => [result.name, result]));
  add(page, `**Runs**: ${runs.length === 0 ? 'none needed' : count(runs.length, 'dry run')}\n\n`);
  if (runs.length > 0) {
    const titles = ['integration', 'image', 'shards', ...(results === undefined ? [] : ['result', 'time']), 'log'];
    table(
      page,
      titles,
      runs.map((run) => runCells(run, results === undefined ? undefined : ends.get(run.name))),
    );
  }
  for (const { integration, text } of notes)
    add(page, `- ${markdownPlain(integration)}: ${markdownPlain(text)}\n`, LOG_SHARE);
  if (notes.length > 0) add(page, '\n');
}

function runCells(run: PlannedRun, result: RunResult | undefined): string[] {
  const outcome = result === undefined ? [] : [RESULTS[result.end], `${result.seconds.toFixed(1)} s`];
  return [
    markdownPlain(run.integration),
    markdownPlain(run.image),
    markdownPlain(shardsText(run)),
    ...outcome,
    markdownPlain(run.log),
  ];
}

/** The last log lines of failed runs, collapsed, as many as fit. */
function logSection(page: Page, { results = [] }: CheckReport): void {
  const failed = results.filter(({ end }) => end !== 'passed' && end !== 'skipped');
  let left = 0;
  for (const { name, reason, tail = '' } of failed) {
    const why = reason === undefined ? '' : `: ${markdownPlain(reason)}`;
    const body = tail === '' ? '_No output._\n' : markdownCode(tail);
    const block = `<details><summary>${markdownPlain(name)}${why}</summary>\n\n${body}\n</details>\n\n`;
    if (!add(page, block)) left += 1;
  }
  if (left > 0) page.text += `… and the logs of ${count(left, 'more failed run')}.\n\n`;
}

const SHADOW_SHARE = 12_000;

/** What each new image would do: as much of it as fits. */
function shadowSection(page: Page, { shadows }: CheckReport): void {
  if (shadows === undefined) return;
  const { reports, notes } = shadows;
  if (reports.length === 0)
    add(page, `**Shadows**: ${notes.length === 0 ? 'no shard gets another image' : 'none'}\n\n`);
  const left = reports.filter((report) => !add(page, `${shadowMarkdown(report, SHADOW_SHARE)}\n`)).length;
  for (const text of notes) add(page, `- ${markdownPlain(text)}\n`);
  if (left > 0) page.text += `… and the shadows of ${count(left, 'more integration')}.\n`;
  add(page, '\n');
}

function waveSection(page: Page, { rollout }: CheckReport): void {
  if (rollout === undefined) return;
  const lines = waveLines(rollout).map(
    (text) => `${text.startsWith('  ') ? '  ' : ''}- ${markdownPlain(text.trim())}\n`,
  );
  add(page, `**Rollout** ${markdownPlain(rollout.basis)}\n\n${lines.join('')}\n`);
}

function choiceSection(page: Page, { integrations }: CheckReport): void {
  const selected = integrations.filter((choice) => choice.selected);
  const titles = markdownRow(['integration', 'why']) + markdownRow(['---', '---']);
  const rows = [...selected, ...integrations.filter((choice) => !choice.selected)].map((choice) =>
    markdownRow([
      `${markdownPlain(choice.integration)}${choice.selected ? '' : ' (not run)'}`,
      choice.reasons.map((reason) => markdownPlain(reasonText(reason))).join('<br>'),
    ]),
  );
  const head = `<details><summary>${selected.length} of ${count(integrations.length, 'integration')} selected</summary>\n\n`;
  const body: string[] = [];
  let size = page.text.length + head.length + titles.length + 100;
  for (const line of rows) {
    size += line.length;
    if (size > page.limit) break;
    body.push(line);
  }
  const more = body.length < rows.length ? `\n… and ${rows.length - body.length} more.\n` : '';
  add(page, `${head}${titles}${body.join('')}${more}\n</details>\n`);
}

const NAMED_FILES = 3;

/** `it reads /aws/account-1.yml: data/aws/new/account.yml`. */
export function reasonText({ text, files = [] }: Reason): string {
  if (files.length === 0) return text;
  const named = files.slice(0, NAMED_FILES).join(', ');
  return `${text}: ${named}${files.length > NAMED_FILES ? ` and ${files.length - NAMED_FILES} more` : ''}`;
}
