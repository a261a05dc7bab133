import { count, textTable } from '../../../base/index.ts';
import {
  type CheckReport,
  checkMarkdown,
  groupedChanges,
  type PlannedRun,
  type RunResult,
  reasonText,
  shardNames,
  shardsText,
  verdictOf,
} from '../../../promotion/index.ts';
import type { Io } from '../../io.ts';
import type { Paint } from '../../output/colour.ts';
import { fitting } from '../../output/fitting.ts';
import { API_VERSION } from '../../output/format.ts';
import { line } from '../../output/terminal.ts';
import { documentWriters, type Writers } from '../../output/writers.ts';
import { printWaves } from '../promote/output.ts';
import { printShadow } from '../shadow/print-shadow.ts';

/** Rows per table without `-o wide`. */
const MOST_ROWS = 50;

export const CHECK_WRITERS: Writers<CheckReport> = {
  table: (io, report, paint) => printText(io, report, paint, false),
  wide: (io, report, paint) => printText(io, report, paint, true),
  ...documentWriters((report: CheckReport) => {
    const { ok, failures } = verdictOf(report);
    return { apiVersion: API_VERSION, kind: 'PrCheck', ok, failures, ...report };
  }),
  name: (io, report) => {
    const names = report.integrations.filter(({ selected }) => selected).map(({ integration }) => integration);
    io.stdout.write(names.map((name) => line(`integration/${name}`)).join(''));
  },
  markdown: (io, report) => io.stdout.write(checkMarkdown(report)),
};

function printText(io: Io, report: CheckReport, paint: Paint, wide: boolean): void {
  const { base, head, files } = report;
  const commit = ({ ref, commit: sha }: CheckReport['base']): string =>
    sha === undefined ? ref : `${sha.slice(0, 7)} (${ref})`;
  const print = (text: string): void => io.stdout.write(text);
  print(line(`${paint('bold', `${commit(base)} → ${commit(head)}`)}, ${count(files.length, 'changed file')}`));
  const table = (titles: readonly string[], rows: readonly (readonly string[])[]): void => {
    if (rows.length === 0) return;
    const shown = wide ? rows : rows.slice(0, MOST_ROWS);
    const { width } = wide ? {} : fitting(io);
    print(indented(textTable(titles, shown, paint, { width: width && width - INDENT.length })));
    if (shown.length < rows.length) print(`  … and ${rows.length - shown.length} more: show them with -o wide\n`);
  };
  table(
    ['FILE', 'CHANGE', 'MEANING'],
    files.map(({ file, change, meaning }) => [file, change, meaning]),
  );
  printValidation(print, report, paint);
  printWorkloads(print, table, report, paint, wide);
  printChoices(print, table, report, paint, wide);
  printRuns(print, table, report, paint);
  printShadows(io, report, paint, wide);
  printWaves(io, report.rollout, paint);
  const { ok, failures } = verdictOf(report);
  print(`\n${ok ? paint('green', 'no problems') : paint('red', failures.join(', '))}\n`);
}

type Print = (text: string) => void;
type Table = (titles: readonly string[], rows: readonly (readonly string[])[]) => void;

function printValidation(print: Print, { validation: { added, kept, gone } }: CheckReport, paint: Paint): void {
  const found = added.length === 0 ? 'no new problem' : count(added.length, 'new problem');
  const known = kept.length === 0 ? '' : `, ${kept.length} at base`;
  print(`\n${paint('bold', 'Validation')}: ${found}${known}${gone.length === 0 ? '' : `, ${gone.length} fixed`}\n`);
  for (const { file, line: number, column, severity, message, rule, hint } of added) {
    const place = `${file}${number === undefined ? '' : `:${number}:${column ?? 1}`}`;
    const label = paint(severity === 'error' ? 'red' : 'yellow', severity);
    print(line(`  ${place}: ${label}: ${oneLine(message)} [${rule}]`) + line(`      ${oneLine(hint)}`));
  }
}

function printWorkloads(print: Print, table: Table, { workloads }: CheckReport, paint: Paint, wide: boolean): void {
  if (workloads === undefined) return;
  const { difference, guard, troubles } = workloads;
  print(`\n${paint('bold', 'Workloads')}: ${difference.summary}\n`);
  for (const text of guard) print(line(`  ${paint('yellow', 'guard:')} ${oneLine(text)}`));
  for (const { message, known } of troubles) {
    print(line(`  ${known ? 'not rendered, already at base: ' : paint('red', 'not rendered: ')}${oneLine(message)}`));
  }
  const rows = groupedChanges(difference.changes).map(({ environment, integration, change, shards }) => [
    ...[environment, integration, change, shardNames(shards, wide)],
  ]);
  table(['ENVIRONMENT', 'INTEGRATION', 'CHANGE', 'SHARDS'], rows);
}

function printChoices(print: Print, table: Table, report: CheckReport, paint: Paint, wide: boolean): void {
  const selected = report.integrations.filter((choice) => choice.selected);
  const total = count(report.integrations.length, 'integration');
  print(`\n${paint('bold', 'Integrations')}: ${selected.length} of ${total} selected\n`);
  const shown = wide ? report.integrations : selected;
  const rows = shown.map((choice) => [
    choice.integration,
    choice.selected ? 'yes' : 'no',
    choice.reasons.map(reasonText).join('; '),
  ]);
  table(['INTEGRATION', 'RUN', 'WHY'], rows);
}

function printRuns(print: Print, table: Table, { runs, results, notes }: CheckReport, paint: Paint): void {
  print(`\n${paint('bold', 'Runs')}: ${runs.length === 0 ? 'none needed' : count(runs.length, 'dry run')}\n`);
  const ends = new Map((results ?? []).map((result) => [result.name, result]));
  const ended = results === undefined ? [] : ['RESULT', 'TIME'];
  table(
    ['INTEGRATION', 'IMAGE', 'SHARDS', ...ended, 'LOG'],
    runs.map((run) => runCells(run, results === undefined ? undefined : ends.get(run.name))),
  );
  for (const { integration, text } of notes) print(line(`  note: ${oneLine(`${integration}: ${text}`)}`));
}

function runCells(run: PlannedRun, result: RunResult | undefined): string[] {
  const ended = result === undefined ? [] : [resultText(result), `${result.seconds.toFixed(1)}s`];
  return [run.integration, run.image, shardsText(run), ...ended, run.log];
}

function resultText({ end, reason }: RunResult): string {
  return end === 'failed' ? `failed (${reason ?? ''})` : end;
}

function printShadows(io: Io, { shadows }: CheckReport, paint: Paint, wide: boolean): void {
  if (shadows === undefined) return;
  const moved = shadows.reports.length === 0 ? 'no shard compared' : count(shadows.reports.length, 'integration');
  io.stdout.write(`\n${paint('bold', 'Shadows')}: ${moved}\n`);
  for (const report of shadows.reports) {
    io.stdout.write(`\n${line(report.integration)}`);
    printShadow(io, report, paint, wide);
  }
  for (const text of shadows.notes) io.stdout.write(line(`  note: ${oneLine(text)}`));
}

const INDENT = '  ';

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, INDENT);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
