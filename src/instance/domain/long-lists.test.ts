import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { longListIssues } from './long-lists.ts';

const SHAPE = z.object({
  names: z.array(z.string()).exactOptional(),
  entries: z.array(z.unknown()),
  other: z.string(),
});

function checked(content: Readonly<Record<string, unknown>>) {
  const steps = longListIssues(SHAPE, content);
  let turns = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return { turns, issues: step.value };
    turns += 1;
  }
}

const list = (count: number, value: unknown): unknown[] => Array.from({ length: count }, () => value);

describe('long lists of a file', () => {
  it('are checked in steps, of which none has more than 500 entries', () => {
    const { turns, issues } = checked({ names: list(10_000, 1), entries: [], other: 'x' });
    expect(issues).toHaveLength(10_000);
    expect(turns).toBe(20);
  });

  it('have issues with the path that the whole file would have', () => {
    const names = list(501, 'a');
    names[500] = 7;
    const content = { names, entries: [], other: 'x' };
    const { issues } = checked(content);
    const whole = SHAPE.safeParse(content, { reportInput: true }).error?.issues;
    expect(issues).toEqual(whole);
    expect(issues[0]?.path).toEqual(['names', 500]);
  });

  it.each([
    { given: 'short lists', content: { names: list(500, 1) } },
    { given: 'lists of anything', content: { entries: list(2_000, 1) } },
    { given: 'fields that are not lists', content: { names: 1, other: 2 } },
  ])('are not $given', ({ content }) => {
    expect(checked(content)).toEqual({ turns: 0, issues: [] });
  });
});
