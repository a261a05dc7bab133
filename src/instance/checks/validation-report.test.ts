import { describe, expect, it } from 'vitest';
import { handMadeSnapshot, integration } from '../../../test/support/hand-made-snapshot.ts';
import type { Problem } from '../problem.ts';
import type { Snapshot } from '../snapshot.ts';
import {
  errorsOf,
  notCheckedLines,
  type ValidationReport,
  validationDocument,
  validationReport,
  validationSummary,
} from './validation-report.ts';

const PROBLEM: Problem = { rule: 'r', severity: 'error', file: 'data/i.yml', message: 'm', hint: 'h' };
const SNAPSHOT = handMadeSnapshot({ '/i.yml': integration('i') }, { unreadable: ['/broken.yml'] });
const report = (snapshot: Snapshot, againstSchemas: boolean): ValidationReport => ({
  ...validationReport(snapshot, [], againstSchemas),
  origin: snapshot.origin,
  revision: snapshot.revision,
});
const WHOLE = report(SNAPSHOT, true);
const notGiven = new Map([
  ['/b.yml', '/b-1.yml'],
  ['/a.yml', '/a-1.yml'],
  ['/c.yml', '/b-1.yml'],
]);
const PARTIAL = report({ ...SNAPSHOT, notGiven }, false);

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
