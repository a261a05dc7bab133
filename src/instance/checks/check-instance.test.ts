import { describe, expect, it } from 'vitest';
import { handMadeSnapshot, integration } from '../../../test/support/hand-made-snapshot.ts';
import type { Finding, Problem } from '../problem.ts';
import type { Snapshot } from '../snapshot.ts';
import {
  checkInstance,
  dedupeFindings,
  errorsOf,
  notCheckedLines,
  type ValidationReport,
  validationDocument,
  validationReport,
  validationSummary,
} from './check-instance.ts';

const CLUSTER = `$schema: /openshift/cluster-1.yml
name: x
serverUrl: 5
`;
const SCHEMA = { type: 'object', required: ['owner'], properties: { serverUrl: { type: 'string' } } };

describe('every check runs', () => {
  it('and what they find has lines, ordered by file and line', async () => {
    const snapshot = handMadeSnapshot({ '/a.yml': `${CLUSTER}ocm: { $ref: /no.yml }\n`, '/b.yml': CLUSTER });
    const problems = await checkInstance(snapshot);
    expect(problems.map(({ file, line, column, rule }) => `${file}:${line}:${column} ${rule}`)).toEqual([
      'data/a.yml:3:12 wrong-type',
      'data/a.yml:4:14 ref-dangling',
      'data/b.yml:2:7 duplicate-name',
      'data/b.yml:3:12 wrong-type',
    ]);
  });

  it('with the schemas that came with the data', async () => {
    const snapshot = handMadeSnapshot({ '/a.yml': CLUSTER }, { schemas: { '/openshift/cluster-1.yml': SCHEMA } });
    const problems = await checkInstance(snapshot);
    expect(problems.map(({ rule, message }) => ({ rule, message }))).toEqual([
      { rule: 'json-schema', message: 'owner is missing' },
      { rule: 'wrong-type', message: expect.stringContaining('serverUrl must be text') },
    ]);
  });

  it('with the schemas that are given before those that came with the data', async () => {
    const snapshot = handMadeSnapshot({ '/a.yml': CLUSTER }, { schemas: { '/openshift/cluster-1.yml': SCHEMA } });
    const problems = await checkInstance(snapshot, { schemas: new Map([['/openshift/cluster-1.yml', {}]]) });
    expect(problems.map(({ rule }) => rule)).toEqual(['wrong-type']);
  });

  it('those of other parts of Echelon too', async () => {
    const snapshot = handMadeSnapshot({ '/a.yml': CLUSTER.replace('5', 'https://api.example.com') });
    const finding = {
      rule: 'own',
      severity: 'warning',
      path: '/a.yml',
      keys: ['name'],
      message: 'm',
      hint: 'h',
    } as const;
    expect(await checkInstance(snapshot, { checks: [() => [finding]] })).toEqual([
      { rule: 'own', severity: 'warning', file: 'data/a.yml', line: 2, column: 7, at: 'name', message: 'm', hint: 'h' },
    ]);
  });

  it('and says nothing of lines where no text is kept', async () => {
    const content = { $schema: '/openshift/cluster-1.yml', name: 'x', serverUrl: 5 };
    const [problem, ...more] = await checkInstance(handMadeSnapshot({ '/a.yml': content }));
    expect(problem).toMatchObject({ rule: 'wrong-type', file: 'data/a.yml', at: 'serverUrl' });
    expect(problem).not.toHaveProperty('line');
    expect(more).toEqual([]);
  });
});

const found = (rule: string, keys: Finding['keys'], more: Partial<Finding> = {}): Finding => ({
  rule,
  severity: 'error',
  path: '/a.yml',
  keys,
  message: `${rule} says`,
  hint: 'do something',
  ...more,
});

const kept = (...findings: readonly Finding[]) =>
  dedupeFindings(findings).map(({ rule, severity, keys }) => `${severity} ${rule} at ${keys.join('.')}`);

describe('of several findings', () => {
  it.each([
    {
      given: 'of one rule at one place the first is kept',
      findings: [found('ref-dangling', ['x']), found('ref-dangling', ['x'])],
      left: ['error ref-dangling at x'],
    },
    {
      given: 'of two rules at one place both are kept',
      findings: [found('wrong-type', ['x']), found('duplicate-name', ['x'])],
      left: ['error wrong-type at x', 'error duplicate-name at x'],
    },
    {
      given: 'a schema says nothing at a place that was told of',
      findings: [found('wrong-type', ['x']), found('json-schema', ['x'])],
      left: ['error wrong-type at x'],
    },
    {
      given: 'a schema makes an error of a warning',
      findings: [found('unknown-field', ['x'], { severity: 'warning' }), found('json-schema', ['x'])],
      left: ['error unknown-field at x'],
    },
    {
      given: 'a field that a schema misses is the field that was told of',
      findings: [found('missing-field', ['x', 'y']), found('json-schema', ['x', 'y'], { message: 'y is missing' })],
      left: ['error missing-field at x.y'],
    },
    {
      given: 'a schema does not take apart a value of a wrong form',
      findings: [found('bad-extra-env', ['x', 0]), found('json-schema', ['x', 0, 'name'])],
      left: ['error bad-extra-env at x.0'],
    },
    {
      given: 'a schema speaks below a place that was told of for another reason',
      findings: [found('managed-twice', ['x']), found('json-schema', ['x', 'y'])],
      left: ['error managed-twice at x', 'error json-schema at x.y'],
    },
    {
      given: 'a schema speaks of one place once',
      findings: [found('json-schema', ['x']), found('json-schema', ['x'])],
      left: ['error json-schema at x'],
    },
    {
      given: 'places in two files are two places',
      findings: [found('wrong-type', ['x']), found('json-schema', ['x'], { path: '/b.yml' })],
      left: ['error wrong-type at x', 'error json-schema at x'],
    },
  ])('$given', ({ findings, left }) => {
    expect(kept(...findings)).toEqual(left);
  });
});

const PROBLEM: Problem = { rule: 'r', severity: 'error', file: 'data/i.yml', message: 'm', hint: 'h' };
const SNAPSHOT = handMadeSnapshot({ '/i.yml': integration('i') }, { unreadable: ['/broken.yml'] });
const report = (snapshot: Snapshot, againstSchemas: boolean): ValidationReport => ({
  ...validationReport(snapshot, [], againstSchemas),
  origin: snapshot.origin,
  revision: snapshot.revision,
});
const WHOLE = report(SNAPSHOT, true);
const unservedDatafiles = new Map([
  ['/b.yml', '/b-1.yml'],
  ['/a.yml', '/a-1.yml'],
  ['/c.yml', '/b-1.yml'],
]);
const PARTIAL = report({ ...SNAPSHOT, unservedDatafiles }, false);

describe('a validation report', () => {
  it.each([
    {
      report: WHOLE,
      text: 'no problems in 2 datafiles of hand-made at hand-made (checked against JSON schemas)',
    },
    {
      report: { ...PARTIAL, problems: [PROBLEM, { ...PROBLEM, severity: 'warning' as const }] },
      text: '1 error, 1 warning in 2 of at least 5 datafiles of hand-made at hand-made (no JSON schemas at hand)',
    },
  ])('is summed up as "$text"', ({ report: given, text }) => {
    expect(validationSummary(given)).toBe(text);
  });

  it('counts what was not checked by schema, only for a source that does not give everything', () => {
    expect(notCheckedLines(WHOLE)).toEqual([]);
    const [heading, ...lines] = notCheckedLines(PARTIAL);
    expect(heading).toContain('not checked: 3 datafiles');
    expect(lines).toEqual(['    1 /a-1.yml', '    2 /b-1.yml']);
  });

  it('is a document with the number of errors and warnings', () => {
    const found = { ...PARTIAL, problems: [PROBLEM] };
    expect(errorsOf(found)).toBe(1);
    expect(validationDocument(found)).toMatchObject({
      ...{ source: 'hand-made', files: 2, schemas: false, errors: 1, warnings: 0, problems: [PROBLEM] },
      notChecked: [{ file: 'data/b.yml' }, { file: 'data/a.yml' }, { file: 'data/c.yml' }],
    });
    expect(validationDocument(WHOLE)).not.toHaveProperty('notChecked');
  });
});
