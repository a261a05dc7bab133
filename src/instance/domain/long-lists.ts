import type * as z from 'zod';
import type { Json, Steps } from '../../base/index.ts';

type Issue = z.core.$ZodIssue;

/** What one step may check: a few milliseconds, whatever the entries are. */
const ENTRIES_PER_STEP = 500;

/** Whether a file has a list that is checked in steps; hardly any has. */
export function hasLongList(content: Json): boolean {
  for (const key in content) if (isLong(content[key])) return true;
  return false;
}

function isLong(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > ENTRIES_PER_STEP;
}

/**
 * The issues of the long lists of a file, a part of a list per step. A list of a hundred thousand bad entries would otherwise keep
 * everything else waiting while it is checked as one value. Short lists, and fields that are not lists, are left to the caller.
 */
export function* longListIssues(shape: z.ZodType, content: Json): Steps<Issue[]> {
  const issues: Issue[] = [];
  for (const [key, field] of Object.entries(fieldsOf(shape))) {
    const value = content[key];
    if (!isLong(value)) continue;
    const element = elementOf(field);
    if (element !== undefined) yield* entryIssues(key, value, element, issues);
  }
  return issues;
}

function* entryIssues(key: string, entries: readonly unknown[], element: z.ZodType, issues: Issue[]): Steps<void> {
  for (const [index, entry] of entries.entries()) {
    const { error } = element.safeParse(entry, { reportInput: true });
    for (const issue of error?.issues ?? []) issues.push({ ...issue, path: [key, index, ...issue.path] });
    if (index % ENTRIES_PER_STEP === 0) yield;
  }
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
