import { type JunitCase, type JunitSuite, junitXml } from '../../base/index.ts';
import { shadowSuite } from '../../shadow/index.ts';
import { type CheckReport, type PlannedRun, type RunResult, shardsText } from './report.ts';

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
