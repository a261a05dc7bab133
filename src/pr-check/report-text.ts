import { count, type JunitCase, type JunitSuite, junitXml, type Pen, textTable } from '../base/index.ts';
import { wavesText } from '../rollouts/index.ts';
import { shadowSuite, shadowText } from '../shadow/index.ts';
import { behindText, type CheckReport, type PlannedRun, type RunResult, shardsText, verdictOf } from './report.ts';
import { reasonText } from './report-markdown.ts';
import { groupedChanges, shardNames } from './workloads.ts';

/** Rows per table without `-o wide`. */
const MOST_ROWS = 50;
const INDENT = '  ';

type Rows = readonly (readonly string[])[];
type Draw = (titles: readonly string[], rows: Rows) => string;

/** The report for a terminal. */
export function checkText(report: CheckReport, pen: Pen, wide: boolean): string {
  const { base, head, files } = report;
  const { paint, line } = pen;
  const commit = ({ ref, commit: sha }: CheckReport['base']): string =>
    sha === undefined ? ref : `${sha.slice(0, 7)} (${ref})`;
  const table = tableIn(pen, wide);
  const { ok, failures } = verdictOf(report);
  return [
    line(`${paint('bold', `${commit(base)} → ${commit(head)}`)}, ${count(files.length, 'changed file')}`),
    base.behind === undefined ? '' : line(`  ${behindText(base, base.behind)}`),
    table(
      ['FILE', 'CHANGE', 'MEANING'],
      files.map(({ file, change, meaning }) => [file, change, meaning]),
    ),
    validationText(report, pen),
    workloadsText(table, report, pen, wide),
    choicesText(table, report, pen, wide),
    runsText(table, report, pen),
    shadowsText(report, pen, wide),
    wavesText(report.rollout, pen),
    `\n${ok ? paint('green', 'no problems') : paint('red', failures.join(', '))}\n`,
  ].join('');
}

function tableIn({ paint, width }: Pen, wide: boolean): Draw {
  return (titles, rows) => {
    if (rows.length === 0) return '';
    const shown = wide ? rows : rows.slice(0, MOST_ROWS);
    const left = rows.length - shown.length;
    const text = indented(textTable(titles, shown, paint, { width: width && width - INDENT.length }));
    return left === 0 ? text : `${text}  … and ${left} more: show them with -o wide\n`;
  };
}

function validationText({ validation: { added, kept, gone } }: CheckReport, { paint, line }: Pen): string {
  const found = added.length === 0 ? 'no new problem' : count(added.length, 'new problem');
  const known = kept.length === 0 ? '' : `, ${kept.length} at base`;
  const fixed = gone.length === 0 ? '' : `, ${gone.length} fixed`;
  const problems = added.map(({ file, line: number, column, severity, message, rule, hint }) => {
    const place = `${file}${number === undefined ? '' : `:${number}:${column ?? 1}`}`;
    const label = paint(severity === 'error' ? 'red' : 'yellow', severity);
    return line(`  ${place}: ${label}: ${oneLine(message)} [${rule}]`) + line(`      ${oneLine(hint)}`);
  });
  return `\n${paint('bold', 'Validation')}: ${found}${known}${fixed}\n${problems.join('')}`;
}

function workloadsText(table: Draw, { workloads }: CheckReport, { paint, line }: Pen, wide: boolean): string {
  if (workloads === undefined) return '';
  const { difference, guard, troubles } = workloads;
  const rows = groupedChanges(difference.changes).map(({ environment, integration, change, shards }) => [
    ...[environment, integration, change, shardNames(shards, wide)],
  ]);
  return [
    `\n${paint('bold', 'Workloads')}: ${difference.summary}\n`,
    ...guard.map((text) => line(`  ${paint('yellow', 'guard:')} ${oneLine(text)}`)),
    ...troubles.map(({ message, known }) =>
      line(`  ${known ? 'not rendered, already at base: ' : paint('red', 'not rendered: ')}${oneLine(message)}`),
    ),
    table(['ENVIRONMENT', 'INTEGRATION', 'CHANGE', 'SHARDS'], rows),
  ].join('');
}

function choicesText(table: Draw, report: CheckReport, { paint }: Pen, wide: boolean): string {
  const selected = report.integrations.filter((choice) => choice.selected);
  const total = count(report.integrations.length, 'integration');
  const shown = wide ? report.integrations : selected;
  const rows = shown.map((choice) => [
    choice.integration,
    choice.selected ? 'yes' : 'no',
    choice.reasons.map(reasonText).join('; '),
  ]);
  const head = `\n${paint('bold', 'Integrations')}: ${selected.length} of ${total} selected\n`;
  return head + table(['INTEGRATION', 'RUN', 'WHY'], rows);
}

function runsText(table: Draw, { runs, results, notes }: CheckReport, { paint, line }: Pen): string {
  const ends = new Map((results ?? []).map((result) => [result.name, result]));
  const ended = results === undefined ? [] : ['RESULT', 'TIME'];
  return [
    `\n${paint('bold', 'Runs')}: ${runs.length === 0 ? 'none needed' : count(runs.length, 'dry run')}\n`,
    table(
      ['INTEGRATION', 'IMAGE', 'SHARDS', ...ended, 'LOG'],
      runs.map((run) => runCells(run, results === undefined ? undefined : ends.get(run.name))),
    ),
    ...notes.map(({ integration, text }) => line(`  note: ${oneLine(`${integration}: ${text}`)}`)),
  ].join('');
}

function runCells(run: PlannedRun, result: RunResult | undefined): string[] {
  const ended = result === undefined ? [] : [resultText(result), `${result.seconds.toFixed(1)}s`];
  return [run.integration, run.image, shardsText(run), ...ended, run.log];
}

function resultText({ end, reason }: RunResult): string {
  return end === 'failed' ? `failed (${reason ?? ''})` : end;
}

function shadowsText({ shadows }: CheckReport, pen: Pen, wide: boolean): string {
  if (shadows === undefined) return '';
  const { paint, line } = pen;
  const moved = shadows.reports.length === 0 ? 'no shard compared' : count(shadows.reports.length, 'integration');
  return [
    `\n${paint('bold', 'Shadows')}: ${moved}\n`,
    ...shadows.reports.map((report) => `\n${line(report.integration)}${shadowText(report, pen, wide)}`),
    ...shadows.notes.map((text) => line(`  note: ${oneLine(text)}`)),
  ].join('');
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, INDENT);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

/** A JUnit report for CI systems: one suite each for validation, workloads and runs. */
export function checkJunit(report: CheckReport): string {
  const suites = [validationSuite(report), workloadSuite(report), runSuite(report), ...shadowSuites(report)].filter(
    ({ cases }) => cases.length > 0,
  );
  return junitXml('echelon pr-check', suites);
}

function validationSuite({ validation }: CheckReport): JunitSuite {
  const errors = validation.added.filter(({ severity }) => severity === 'error');
  const cases = errors.map((problem) => ({
    name: `${problem.file}${problem.line === undefined ? '' : `:${problem.line}`} ${problem.rule}`,
    className: 'validation',
    seconds: 0,
    failure: { message: problem.message, text: `${problem.message}\n${problem.hint}` },
  }));
  const fine = { name: 'no new errors', className: 'validation', seconds: 0 };
  return { name: 'validation', cases: cases.length === 0 ? [fine] : cases };
}

function workloadSuite({ workloads }: CheckReport): JunitSuite {
  if (workloads === undefined) return { name: 'workloads', cases: [] };
  const fresh = workloads.troubles.filter(({ known }) => !known);
  const cases = fresh.map(({ message }, index) => ({
    name: `render ${index + 1}`,
    className: 'workloads',
    seconds: 0,
    failure: { message, text: message },
  }));
  const fine = { name: 'rendered', className: 'workloads', seconds: 0, output: workloads.difference.summary };
  return { name: 'workloads', cases: cases.length === 0 ? [fine] : cases };
}

function runSuite({ runs, results }: CheckReport): JunitSuite {
  const ends = new Map((results ?? []).map((result) => [result.name, result]));
  return { name: 'runs', cases: runs.map((run) => runCase(run, ends.get(run.name))) };
}

function shadowSuites({ shadows }: CheckReport): JunitSuite[] {
  return (shadows?.reports ?? []).map(shadowSuite);
}

function runCase(run: PlannedRun, result: RunResult | undefined): JunitCase {
  const named = { name: run.name, className: `runs.${run.integration}`, seconds: result?.seconds ?? 0 };
  const about = `image ${run.image}, shards ${shardsText(run)}, log ${run.log}`;
  if (result === undefined || result.end === 'skipped') {
    return { ...named, skipped: result?.reason ?? 'planned only', output: about };
  }
  const output = `${about}\n${result.tail ?? ''}`;
  if (result.end === 'passed') return { ...named, output };
  const message = result.reason ?? (result.exitCode == null ? 'killed by a signal' : `exit ${result.exitCode}`);
  return { ...named, failure: { message, text: message }, output };
}
