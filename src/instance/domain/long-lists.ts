import type * as z from 'zod';
import type { Json, Steps } from '../../base/index.ts';

type Issue = z.core.$ZodIssue;

/** What one step may check: a few milliseconds, whatever the entries are. */
const ENTRIES_PER_STEP = 500;

/** Takes the issues of one step, in steps of its own; `before` is the number of those that it took. */
type TakeIssues = (issues: readonly Issue[], before: number) => Steps<void>;

/** Whether a file has a list that is checked in steps; hardly any has. */
export function hasLongList(content: Json): boolean {
  for (const key in content) if (isLong(content[key])) return true;
  return false;
}

function isLong(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > ENTRIES_PER_STEP;
}

/**
 * Hands on the issues of the long lists of a file, a part of a list per step, and returns their number. A list of a hundred thousand bad
 * entries would otherwise keep everything else waiting while it is checked as one value, and its issues take a hundred times the memory
 * of the list. Short lists, and fields that are not lists, are left to the caller.
 */
export function* longListIssues(shape: z.ZodType, content: Json, take: TakeIssues): Steps<number> {
  let count = 0;
  for (const [key, field] of Object.entries(fieldsOf(shape))) {
    const value = content[key];
    if (!isLong(value)) continue;
    const element = elementOf(field);
    for (let from = 0; element !== undefined && from < value.length; from += ENTRIES_PER_STEP) {
      const issues = entryIssues(key, value.slice(from, from + ENTRIES_PER_STEP), from, element);
      if (issues.length > 0) yield* take(issues, count);
      count += issues.length;
      yield;
    }
  }
  return count;
}

function entryIssues(key: string, entries: readonly unknown[], from: number, element: z.ZodType): Issue[] {
  return entries.flatMap((entry, index) => {
    const { error } = element.safeParse(entry, { reportInput: true });
    return (error?.issues ?? []).map((issue) => ({ ...issue, path: [key, from + index, ...issue.path] }));
  });
}

function fieldsOf(shape: z.ZodType): Readonly<Record<string, z.ZodType>> {
  return 'shape' in shape ? (shape.shape as Readonly<Record<string, z.ZodType>>) : {};
}

interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
}

/** Of a list, also an optional one. Nothing is to be checked of entries that may be anything. */
function elementOf(field: z.ZodType): z.ZodType | undefined {
  const definition = field._zod.def as Definition;
  if (definition.innerType !== undefined) return elementOf(definition.innerType);
  const { element } = definition;
  return element === undefined || (element._zod.def as Definition).type === 'unknown' ? undefined : element;
}
