export interface JunitCase {
  readonly name: string;
  readonly className: string;
  readonly seconds: number;
  readonly failure?: { readonly message: string; readonly text: string };
  readonly skipped?: string;
  readonly output?: string;
}

export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

/** A JUnit report for CI systems. */
export function junitXml(name: string, suites: readonly JunitSuite[]): string {
  const body = suites.map(suiteText).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${xml(name)}">\n${body}</testsuites>\n`;
}

function suiteText({ name, cases }: JunitSuite): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const skipped = cases.filter((item) => item.skipped !== undefined).length;
  const time = cases.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3);
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${time}"`;
  return `  <testsuite name="${xml(name)}" ${counts}>\n${cases.map(caseText).join('')}  </testsuite>\n`;
}

function caseText({ name, className, seconds, failure, skipped, output }: JunitCase): string {
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
