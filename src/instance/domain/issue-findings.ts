import type * as z from 'zod';
import { defined, didYouMean, shortened, shown } from '../../base/index.ts';
import type { Finding } from '../problem.ts';
import { MAX_PROBLEMS_PER_FILE, type WrittenScalars } from '../snapshot.ts';
import type { KeyPath } from '../yaml/source-tree.ts';
import type { FieldFault } from './fields.ts';

type Issue = z.core.$ZodIssue;
type Told = Pick<Finding, 'rule' | 'message' | 'hint'> & { readonly at?: 'key' | 'value'; readonly extra?: string };

/** The issues of one object as findings with what was found, what was expected and how to fix it; `keys` are those of the object. */
export function issueFindings(
  written: WrittenScalars,
  { path, keys: prefix = [] }: { readonly path: string; readonly keys?: KeyPath },
  issues: readonly Issue[],
): Finding[] {
  return issues.map((issue, index) => {
    const keys = [...prefix, ...(issue.path as KeyPath)];
    if (index >= MAX_PROBLEMS_PER_FILE) return { severity: 'error', path, keys, ...COUNTED };
    const { extra, ...told } = tell(issue, keys, () => written(path, keys));
    return { severity: 'error', path, keys: extra === undefined ? keys : [...keys, extra], ...told };
  });
}

/** Beyond the limit of 100 problems; only counted. */
const COUNTED = { rule: 'bad-value', message: 'invalid value', hint: 'correct the value' } as const;

type WrongType = Extract<Issue, { code: 'invalid_type' }>;

/** Only of these is shown what was written. */
function isWrongType(issue: Issue): issue is WrongType {
  return issue.code === 'invalid_type' && issue.input !== undefined;
}

function tell(issue: Issue, keys: KeyPath, scalar: () => string | undefined): Told {
  if (issue.code === 'custom') return custom(issue);
  if (issue.code === 'unrecognized_keys') return unknownField(issue.keys);
  if (issue.code === 'invalid_value') return badValue(issue.values, issue.input, keys);
  if (isWrongType(issue)) return wrongType(issue, keys, scalar());
  if (issue.input === undefined) return missing(keys);
  return { rule: 'bad-value', message: `${name(keys)}: ${issue.message}`, hint: 'correct the value' };
}

function custom(issue: Extract<Issue, { code: 'custom' }>): Told {
  const { rule = 'bad-value', hint = 'correct the value' } = (issue.params ?? {}) as Partial<FieldFault>;
  return { rule, message: issue.message, hint };
}

function unknownField(keys: readonly string[]): Told {
  return {
    rule: 'unknown-field',
    message: `unknown field ${keys.join(', ')}`,
    hint: 'fix its spelling or remove it',
    at: 'key',
    ...defined({ extra: keys[0] }),
  };
}

function badValue(values: readonly unknown[], input: unknown, keys: KeyPath): Told {
  if (input === undefined) return missing(keys);
  const allowed = values.map(String);
  return {
    rule: 'bad-value',
    message: `${name(keys)} is ${shown(input)}, not one of ${allowed.join(', ')}`,
    hint: didYouMean(String(input), allowed, `use one of: ${allowed.join(', ')}`),
  };
}

function missing(keys: KeyPath): Told {
  return { rule: 'missing-field', message: `${name(keys)} is missing`, hint: `add ${name(keys)}` };
}

function wrongType(issue: WrongType, keys: KeyPath, written: string | undefined): Told {
  const found = describe(issue.input);
  const retyped = issue.expected === 'string' && written !== undefined && found !== 'a list' && found !== 'a mapping';
  return {
    rule: 'wrong-type',
    message: retyped
      ? `${name(keys)} must be text, but ${retypedText(written, found, issue.input)}`
      : `${name(keys)} must be ${KINDS[issue.expected] ?? issue.expected}, but is ${found}`,
    hint: retyped ? `quote it: '${shortened(written)}'` : `use ${KINDS[issue.expected] ?? issue.expected}`,
  };
}

/** `0123456` is read as the number 42798; `60` is a number. */
function retypedText(written: string, found: string, input: unknown): string {
  return written === String(input)
    ? `YAML reads ${written} as ${found.replace('the', 'a')}`
    : `YAML reads ${written} as ${found} ${String(input)}`;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

function describe(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (typeof value === 'string') return 'text';
  return `the ${typeof value}`;
}

function name(keys: KeyPath): string {
  const last = keys.findLast((key) => typeof key === 'string');
  return last === undefined ? 'the value' : String(last);
}
