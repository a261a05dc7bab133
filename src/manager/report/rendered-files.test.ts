import { describe, expect, it } from 'vitest';
import { isIncomplete, mayRemoveFiles, renderedText } from './rendered-files.ts';

describe('rendered files', () => {
  it.each([
    { removals: 0, known: 0, may: true },
    { removals: 3, known: 3, may: true },
    { removals: 4, known: 4, may: false },
    { removals: 4, known: 13, may: false },
    { removals: 4, known: 14, may: true },
    { removals: 30, known: 100, may: true },
    { removals: 31, known: 100, may: false },
  ])('$removals of $known may be removed: $may', ({ removals, known, may }) => {
    expect(mayRemoveFiles(removals, known)).toBe(may);
  });

  it.each([
    { severities: [], incomplete: false },
    { severities: ['warning'], incomplete: false },
    { severities: ['warning', 'error'], incomplete: true },
  ] as const)('with problems of $severities are incomplete: $incomplete', ({ severities, incomplete }) => {
    const problems = severities.map((severity) => ({ rule: '', severity, file: '', message: '', hint: '' }));
    expect(isIncomplete({ problems, failures: [] })).toBe(incomplete);
  });

  it('are counted', () => {
    const counts = { objects: 1, written: 1, unchanged: 0, removed: 0 };
    expect(renderedText('r1', 'out', counts, false)).toBe('1 object of r1 in out: 1 written, 0 unchanged, 0 removed');
    expect(renderedText('r1', 'out', counts, true)).toContain('0 removed (nothing is removed while there are errors)');
  });
});
