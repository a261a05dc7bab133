import { describe, expect, it } from 'vitest';
import { markdownCode, markdownPlain } from '../base/index.ts';
import type { Problem } from '../instance/index.ts';
import { type CheckReport, compareProblems, type PlannedRun, type RunResult, verdictOf } from './report.ts';
import { checkMarkdown, MAX_MARKDOWN } from './report-markdown.ts';
import { checkJunit } from './report-text.ts';

const HOSTILE = [
  '</details><script>alert(1)</script>',
  '| a | b |',
  '```\n/close\n```',
  '````````\n/merge',
  '@everyone [x](javascript:y) ![i](http://evil)',
  ']]></system-out><failure/>',
  '& < > " \' \u0000\u0008\u001b[31m \ud800 \ufffe',
  '-->',
];

const problem = (message: string, more: Partial<Problem> = {}): Problem => ({
  rule: 'some-rule',
  severity: 'error',
  file: 'data/a.yml',
  line: 3,
  message,
  hint: 'mend it',
  ...more,
});

const run = (name: string): PlannedRun => ({
  integration: name,
  command: name,
  args: [],
  environment: {},
  name,
  log: `reconcile-${name}.txt`,
  image: `quay.io/x:${name}`,
});

const failed = (name: string, tail: string): RunResult => ({
  name,
  end: 'failed',
  exitCode: 1,
  seconds: 1,
  reason: 'exit 1',
  tail,
});

function report(more: Partial<CheckReport> = {}): CheckReport {
  return {
    base: { ref: 'main', commit: 'a'.repeat(40) },
    head: { ref: 'working tree' },
    files: [],
    validation: { added: [], kept: [], gone: [] },
    integrations: [],
    runs: [],
    notes: [],
    ...more,
  };
}

const everywhere = (text: string): CheckReport =>
  report({
    head: { ref: text },
    validation: { added: [problem(text, { file: text, hint: text })], kept: [], gone: [] },
    integrations: [
      { integration: text, file: text, selected: true, reasons: [{ rule: 'schema', text, files: [text] }] },
    ],
    runs: [{ ...run(text), without: [text] }],
    notes: [{ integration: text, text }],
    results: [failed(text, text)],
  });

/** Lines outside of code blocks, as a forge with the simplest notion of a fence sees them. */
function outsideFences(markdown: string): string[] {
  let inside = false;
  return markdown.split('\n').filter((line) => {
    if (/^\s*(?:`{3,}|~{3,})/.test(line)) {
      inside = !inside;
      return false;
    }
    return !inside;
  });
}

describe('Markdown', () => {
  it.each(HOSTILE)('shows %j as typed', (text) => {
    const lines = outsideFences(checkMarkdown(everywhere(text)));
    const page = lines.join('\n');
    expect(page.replaceAll(/<\/?details>|<\/?summary>|<br>/g, '')).not.toContain('<');
    expect(page.match(/<details>/g)?.length).toBe(page.match(/<\/details>/g)?.length);
    expect(page).not.toMatch(/@(?!\u200b)/);
    expect(page).not.toMatch(/(?<!\\)\]\(/);
    expect(lines.filter((line) => /^\s*\//.test(line))).toEqual([]);
  });

  it.each(HOSTILE)('keeps %j inside a code block', (text) => {
    const lines = markdownCode(text).split('\n');
    expect(lines.filter((line) => /^\s*`{3,}/.test(line))).toEqual(['```text', '```']);
    expect(lines.at(-2)).toBe('```');
    expect(lines.some((line) => line.startsWith('/'))).toBe(false);
  });

  it('has no more columns in a row than in the title', () => {
    const rows = checkMarkdown(everywhere('a | b \\| c'))
      .split('\n')
      .filter((line) => line.startsWith('|'));
    const columns = rows.map((line) => line.split(/(?<!\\)\|/).length);
    expect(new Set(columns.slice(0, 3)).size).toBe(1);
  });

  it('fits a comment, whatever there is to say, and closes what it opens', () => {
    const long = 'x'.repeat(4000);
    const names = Array.from({ length: 500 }, (_, index) => `integration-${index}-${'y'.repeat(200)}`);
    const text = checkMarkdown(
      report({
        validation: { added: names.map((name) => problem(name.repeat(3))), kept: [], gone: [] },
        runs: names.map(run),
        results: names.map((name) => failed(name, long)),
        notes: names.map((name) => ({ integration: name, text: long })),
        integrations: names.map((name) => ({ integration: name, file: name, selected: true, reasons: [] })),
      }),
    );
    expect(text.length).toBeLessThanOrEqual(MAX_MARKDOWN);
    expect(text.match(/<details>/g)?.length).toBe(text.match(/<\/details>/g)?.length);
    expect(text).toContain('more failed run');
    expect(text.split('\n').filter((line) => line.startsWith('```')).length % 2).toBe(0);
  });

  it('cuts a long text', () => {
    expect(markdownPlain('z'.repeat(1000))).toBe(`${'z'.repeat(300)}…`);
  });
});

/** Fails on anything that is not well-formed XML of the few kinds that are written. */
function wellFormed(text: string): number {
  const open: string[] = [];
  let elements = 0;
  const rest = text
    .replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '')
    .replaceAll(/<(\/?)([a-z-]+)((?: [a-z]+="[^"<>]*")*)(\/?)>/g, (_, end: string, name: string, __, empty: string) => {
      elements += 1;
      if (end === '/') expect(open.pop()).toBe(name);
      else if (empty !== '/') open.push(name);
      return '';
    });
  expect(open).toEqual([]);
  expect(rest).not.toMatch(/[<>]/);
  expect(text.replaceAll(/&(?:amp|lt|gt|quot|apos);/g, '')).not.toContain('&');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no way to write them
  expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u);
  return elements;
}

describe('JUnit', () => {
  it.each(HOSTILE)('with %j is well-formed', (text) => {
    expect(wellFormed(checkJunit(everywhere(text)))).toBeGreaterThan(6);
  });

  it('counts runs by how they ended', () => {
    const runs = ['good', 'bad', 'left'].map(run);
    const results: RunResult[] = [
      { name: 'good', end: 'passed', exitCode: 0, seconds: 1.5 },
      failed('bad', 'why'),
      { name: 'left', end: 'skipped', seconds: 0, reason: 'errors' },
    ];
    const text = checkJunit(report({ runs, results }));
    expect(text).toContain('<testsuite name="runs" tests="3" failures="1" errors="0" skipped="1" time="2.500">');
    expect(text).toContain('<testsuite name="validation" tests="1" failures="0"');
    expect(text).toContain('<failure message="exit 1">');
  });
});

describe('problems', () => {
  it('that move to another line are the same, and each counts as often as it is there', () => {
    const before = [problem('a'), problem('gone')];
    const after = [problem('a', { line: 9 }), problem('a', { line: 10 }), problem('b', { severity: 'warning' })];
    const { added, kept, gone } = compareProblems(before, after);
    expect({
      added: added.map(({ message }) => message),
      kept: kept.length,
      gone: gone.map((one) => one.message),
    }).toEqual({ added: ['a', 'b'], kept: 1, gone: ['gone'] });
  });
});

describe('the verdict', () => {
  it.each([
    { given: 'nothing', more: {}, failures: [] },
    {
      given: 'an old error and a new warning',
      more: { validation: { added: [problem('x', { severity: 'warning' })], kept: [problem('y')], gone: [] } },
      failures: [],
    },
    {
      given: 'a new error',
      more: { validation: { added: [problem('x')], kept: [], gone: [] } },
      failures: ['1 new error'],
    },
    { given: 'a failed run', more: { runs: [run('a')], results: [failed('a', '')] }, failures: ['1 of 1 run failed'] },
  ] as { given: string; more: Partial<CheckReport>; failures: string[] }[])('on $given', ({ more, failures }) => {
    expect(verdictOf(report(more))).toEqual({ ok: failures.length === 0, failures });
  });
});
