import type * as z from 'zod';
import {
  type Candidates,
  defined,
  didYouMean,
  isJson,
  type Suggest,
  shortened,
  shown,
  suggestions,
  withArticle,
} from '../../base/index.ts';
import { MAX_PROBLEMS_PER_FILE, type WrittenScalars } from '../locate.ts';
import type { Finding, KeyPath } from '../problem.ts';
import { refPath, type Snapshot } from '../snapshot.ts';
import type { FieldFault } from './fields.ts';

/** The data and the findings so far, shared by all readers of one snapshot; `Lists` are those that a reader refers to. */
export interface ReadContext<Lists = unknown> {
  readonly snapshot: Snapshot;
  readonly findings: Finding[];
  readonly written: WrittenScalars;
  readonly suggest: Suggest;
  /** The API server of each cluster name, as the first file has it. */
  readonly servers: Map<string, { readonly serverUrl: string; readonly file: string }>;
  /** The object of the datafile `target`; undefined, with a finding at `keys` of `path`, when it cannot be resolved. */
  readonly follow: <List extends keyof Lists>(
    list: List,
    target: string,
    path: string,
    keys: KeyPath,
  ) => Lists[List] | undefined;
}

/** Parses one value; issues become findings at `keys`. */
export function parsed<Schema extends z.ZodType>(
  context: ReadContext,
  path: string,
  shape: Schema,
  value: unknown,
  keys: KeyPath = [],
): z.infer<Schema> | undefined {
  const result = shape.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  report(context, issueFindings(context.written, { path, keys }, result.error.issues));
  return undefined;
}

/** Adds findings one by one: a hostile file has more findings than a call may have arguments. */
export function report({ findings }: Pick<ReadContext, 'findings'>, found: Iterable<Finding>): void {
  for (const finding of found) findings.push(finding);
}

/** Why a reference to one of `objects`, which files with these schemas become, leads to none. */
export function unresolvedRef(
  { snapshot, suggest }: Pick<ReadContext, 'snapshot' | 'suggest'>,
  target: string,
  { what, schemas, objects }: { what: string; schemas: readonly string[]; objects: Candidates },
): Pick<Finding, 'rule' | 'message' | 'hint'> {
  const file = snapshot.datafiles.get(target);
  if (file === undefined && !snapshot.unreadable.has(target)) return danglingRef(target, objects, suggest);
  if (file === undefined || schemas.includes(file.schema ?? '')) {
    return {
      rule: 'ref-unreadable',
      message: `cannot resolve this ${what}: ${target} has errors`,
      hint: `fix data${target} first`,
    };
  }
  return wrongTarget(target, file.schema, what, objects, suggest);
}

/** The finding that the reader and the JSON schemas share. */
export function wrongTarget(
  target: string,
  schema: string | undefined,
  what: string,
  candidates: Candidates,
  suggest: Suggest,
): Pick<Finding, 'rule' | 'message' | 'hint'> {
  return {
    rule: 'ref-wrong-type',
    message: `${target} is a ${schema ?? 'file without $schema'}, not ${withArticle(what)}`,
    hint: suggest(target, candidates, `refer to ${withArticle(what)}`),
  };
}

/** The finding that all checks of references share. */
export function danglingRef(
  target: string,
  candidates: Candidates,
  suggest: Suggest,
): Pick<Finding, 'rule' | 'message' | 'hint'> {
  if (target.includes('#') || target.includes('$')) {
    return {
      rule: 'ref-fragment',
      message: `${target} refers to a part of a file; only whole files can be referenced`,
      hint: 'remove the part from # or $ on',
    };
  }
  return {
    rule: 'ref-dangling',
    message: `${target} does not exist`,
    hint: suggest(target, candidates, 'use the path of a datafile below data/, with a leading slash'),
  };
}

/** Settings that are inline or in a file of their own (`$ref`). */
export function inlineOrReferred(snapshot: Snapshot, value: unknown): { value: unknown; path?: string } {
  const path = refPath(value);
  if (path === undefined) return { value };
  return { value: snapshot.datafiles.get(path)?.content, path };
}

type Issue = z.core.$ZodIssue;
type IssueText = Pick<Finding, 'rule' | 'message' | 'hint'> & {
  readonly at?: 'key' | 'value';
  readonly extra?: string;
};

/** The issues of one object as findings with what was found, what was expected and how to fix it; `keys` are those of the object. */
export function issueFindings(
  written: WrittenScalars,
  { path, keys: prefix = [] }: { readonly path: string; readonly keys?: KeyPath },
  issues: readonly Issue[],
): Finding[] {
  return issues.map((issue, index) => {
    const keys = [...prefix, ...(issue.path as KeyPath)];
    if (index >= MAX_PROBLEMS_PER_FILE) return { severity: 'error', path, keys, ...COUNTED };
    const { extra, ...text } = describeIssue(issue, keys, () => written(path, keys));
    return { severity: 'error', path, keys: extra === undefined ? keys : [...keys, extra], ...text };
  });
}

/** Beyond the limit of 100 problems; only counted. */
const COUNTED = { rule: 'bad-value', message: 'invalid value', hint: 'correct the value' } as const;

type WrongType = Extract<Issue, { code: 'invalid_type' }>;

/** Only these show the text as it is written. */
function isWrongType(issue: Issue): issue is WrongType {
  return issue.code === 'invalid_type' && issue.input !== undefined;
}

function describeIssue(issue: Issue, keys: KeyPath, scalar: () => string | undefined): IssueText {
  if (issue.code === 'custom') return custom(issue);
  if (issue.code === 'unrecognized_keys') return unknownField(issue.keys);
  if (issue.code === 'invalid_value') return badValue(issue.values, issue.input, keys);
  if (isWrongType(issue)) return wrongType(issue, keys, scalar());
  if (issue.input === undefined) return missing(keys);
  return { rule: 'bad-value', message: `${fieldName(keys, 'the value')}: ${issue.message}`, hint: 'correct the value' };
}

function custom(issue: Extract<Issue, { code: 'custom' }>): IssueText {
  const { rule = 'bad-value', hint = 'correct the value' } = (issue.params ?? {}) as Partial<FieldFault>;
  return { rule, message: issue.message, hint };
}

function unknownField(keys: readonly string[]): IssueText {
  return {
    rule: 'unknown-field',
    message: `unknown field ${keys.join(', ')}`,
    hint: 'fix its spelling or remove it',
    at: 'key',
    ...defined({ extra: keys[0] }),
  };
}

function badValue(values: readonly unknown[], input: unknown, keys: KeyPath): IssueText {
  if (input === undefined) return missing(keys);
  const allowed = values.map(String);
  return {
    rule: 'bad-value',
    message: `${fieldName(keys, 'the value')} is ${shown(input)}, not one of ${allowed.join(', ')}`,
    hint: didYouMean(String(input), allowed, `use one of: ${allowed.join(', ')}`),
  };
}

function missing(keys: KeyPath): IssueText {
  return {
    rule: 'missing-field',
    message: `${fieldName(keys, 'the value')} is missing`,
    hint: `add ${fieldName(keys, 'the value')}`,
  };
}

function wrongType(issue: WrongType, keys: KeyPath, written: string | undefined): IssueText {
  const found = describe(issue.input);
  const retyped = issue.expected === 'string' && written !== undefined && found !== 'a list' && found !== 'a mapping';
  return {
    rule: 'wrong-type',
    message: retyped
      ? `${fieldName(keys, 'the value')} must be text, but ${retypedText(written, found, issue.input)}`
      : `${fieldName(keys, 'the value')} must be ${TYPE_NAMES[issue.expected] ?? issue.expected}, but is ${found}`,
    hint: retyped ? `quote it: '${shortened(written)}'` : `use ${TYPE_NAMES[issue.expected] ?? issue.expected}`,
  };
}

/** `0123456` is read as the number 42798; `60` is a number. */
function retypedText(written: string, found: string, input: unknown): string {
  return written === String(input)
    ? `YAML reads ${written} as ${found.replace('the', 'a')}`
    : `YAML reads ${written} as ${found} ${String(input)}`;
}

/** The names of types of JSON schemas and of zod in messages. */
export const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  integer: 'a whole number',
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

/** The innermost field of a key path, for messages. */
export function fieldName(keys: KeyPath, ofNone: string): string {
  const last = keys.findLast((key) => typeof key === 'string');
  return last === undefined ? ofNone : String(last);
}

/**
 * Unknown fields: a typo such as `imageref` would otherwise be ignored silently.
 * A warning, since a newer instance may have fields that this version does not know.
 */
export function unknownFields(
  path: string,
  keys: KeyPath,
  value: unknown,
  shape: { readonly shape: Readonly<Record<string, unknown>> },
): Finding[] {
  if (!isJson(value)) return [];
  const known = Object.keys(shape.shape);
  const names = new Set(known);
  const suggest = suggestions();
  const otherwise = `known fields: ${known.join(', ')}`;
  return Object.keys(value)
    .filter((key) => !names.has(key))
    .map((key) => ({
      rule: 'unknown-field',
      severity: 'warning',
      path,
      keys: [...keys, key],
      at: 'key',
      message: `unknown field ${key} has no effect`,
      hint: suggest(key, names, otherwise),
    }));
}
