import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { longListIssues } from './long-lists.ts';

const SHAPE = z.object({
  names: z.array(z.string()).exactOptional(),
  entries: z.array(z.unknown()),
  other: z.string(),
});

function checked(content: Readonly<Record<string, unknown>>) {
  const issues: z.core.$ZodIssue[] = [];
  const parts: number[] = [];
  const steps = longListIssues(SHAPE, content, function* (found, before) {
    expect(before).toBe(issues.length);
    parts.push(found.length);
    issues.push(...found);
    yield;
  });
  let turns = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return { turns, parts, count: step.value, issues };
    turns += 1;
  }
}

const list = (count: number, value: unknown): unknown[] => Array.from({ length: count }, () => value);

describe('long lists of a file', () => {
  it('are checked in steps, of which none has more than 500 entries', () => {
    const { turns, count, parts } = checked({ names: list(10_001, 1), entries: [], other: 'x' });
    expect(count).toBe(10_001);
    expect(parts).toEqual([...list(20, 500), 1]);
    expect(turns).toBe(parts.length * 2);
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
    expect(checked(content)).toEqual({ turns: 0, parts: [], count: 0, issues: [] });
  });
});
