import { type CheckReport, type PlannedRun, type RunResult, shardsText } from './report.ts';

/** A JUnit report for CI systems: one suite each for validation, workloads and runs. */
export function checkJunit(report: CheckReport): string {
  const suites = [validationSuite(report), workloadSuite(report), runSuite(report)].filter(
    ({ cases }) => cases.length > 0,
  );
  const body = suites.map(suiteText).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="echelon pr-check">\n${body}</testsuites>\n`;
}

interface Case {
  readonly name: string;
  readonly className: string;
  readonly seconds: number;
  readonly failure?: { readonly message: string; readonly text: string };
  readonly skipped?: string;
  readonly output?: string;
}

interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}

function validationSuite({ validation }: CheckReport): Suite {
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

function workloadSuite({ workloads }: CheckReport): Suite {
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

function runSuite({ runs, results }: CheckReport): Suite {
  const ends = new Map((results ?? []).map((result) => [result.name, result]));
  return { name: 'runs', cases: runs.map((run) => runCase(run, ends.get(run.name))) };
}

function runCase(run: PlannedRun, result: RunResult | undefined): Case {
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

function suiteText({ name, cases }: Suite): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const skipped = cases.filter((item) => item.skipped !== undefined).length;
  const time = cases.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3);
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${time}"`;
  return `  <testsuite name="${xml(name)}" ${counts}>\n${cases.map(caseText).join('')}  </testsuite>\n`;
}

function caseText({ name, className, seconds, failure, skipped, output }: Case): string {
  const open = `    <testcase name="${xml(name)}" classname="${xml(className)}" time="${seconds.toFixed(3)}"`;
  const children = [
    failure === undefined ? '' : `      <failure message="${xml(failure.message)}">${xml(failure.text)}</failure>\n`,
    skipped === undefined ? '' : `      <skipped message="${xml(skipped)}"/>\n`,
    output === undefined ? '' : `      <system-out>${xml(output)}</system-out>\n`,
  ].join('');
  return children === '' ? `${open}/>\n` : `${open}>\n${children}    </testcase>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes text for XML 1.0; drops control characters, which it cannot represent. */
function xml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter);
}
