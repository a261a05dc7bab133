import { describe, expect, it } from 'vitest';
import { handMadeSnapshot, integration } from '../../../test/support/hand-made-snapshot.ts';
import type { Problem } from '../problem.ts';
import {
  errorsOf,
  notCheckedLines,
  type ValidationReport,
  validationDocument,
  validationSummary,
} from './validation-report.ts';

const PROBLEM: Problem = { rule: 'r', severity: 'error', file: 'data/i.yml', message: 'm', hint: 'h' };
const WHOLE: ValidationReport = {
  snapshot: handMadeSnapshot({ '/i.yml': integration('i') }, { unreadable: ['/broken.yml'] }),
  problems: [],
  againstSchemas: true,
};
const notGiven = new Map([
  ['/b.yml', '/b-1.yml'],
  ['/a.yml', '/a-1.yml'],
  ['/c.yml', '/b-1.yml'],
]);
const PARTIAL: ValidationReport = { ...WHOLE, snapshot: { ...WHOLE.snapshot, notGiven }, againstSchemas: false };

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
  ])('is summed up as "$text"', ({ report, text }) => {
    expect(validationSummary(report)).toBe(text);
  });

  it('counts what was not checked by schema, only for a source that does not give everything', () => {
    expect(notCheckedLines(WHOLE)).toEqual([]);
    const [heading, ...lines] = notCheckedLines(PARTIAL);
    expect(heading).toContain('not checked: 3 datafiles');
    expect(lines).toEqual(['    1 /a-1.yml', '    2 /b-1.yml']);
  });

  it('is a document with the number of errors and warnings', () => {
    const report = { ...PARTIAL, problems: [PROBLEM] };
    expect(errorsOf(report)).toBe(1);
    expect(validationDocument(report)).toMatchObject({
      ...{ source: 'hand-made', files: 2, schemas: false, errors: 1, warnings: 0, problems: [PROBLEM] },
      notChecked: [{ file: 'data/b.yml' }, { file: 'data/a.yml' }, { file: 'data/c.yml' }],
    });
    expect(validationDocument(WHOLE)).not.toHaveProperty('notChecked');
  });
});
