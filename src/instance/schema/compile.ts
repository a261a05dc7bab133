import { Ajv, type ValidateFunction } from 'ajv';
import { RE2JS } from 're2js';
import { EchelonError, messageOf } from '../../base/index.ts';
import { refPath } from '../snapshot.ts';
import type { SchemaSet } from './schema-set.ts';

/** A reference that a schema constrains: its location and what its target must be. */
export interface TypedReference {
  readonly pointer: string;
  readonly target: string;
  /** The `$schema` that the target must have, or a schema that the whole target must satisfy. */
  readonly demand: string | object;
}

interface ResourceReference {
  readonly pointer: string;
  readonly target: string;
}

/** References that the custom keywords collect while one datafile is validated. */
export interface CollectedRefs {
  readonly references: TypedReference[];
  readonly resources: ResourceReference[];
}

export interface SchemaCompiler {
  /** The validator of a schema by its path; undefined when unknown. */
  schema(path: string): ValidateFunction | undefined;
  /** The validator of a schema nested in another. */
  inline(schema: object): ValidateFunction;
}

/**
 * Draft-06 as the existing validator applies it: keywords beside `$ref` are ignored, except `$schemaRef`;
 * `format` is not enforced. References are collected and never fail, so that `oneOf` chooses by shape alone.
 */
export function schemaCompiler(schemas: SchemaSet): SchemaCompiler {
  const ajv = new Ajv({
    allErrors: true,
    strict: false,
    meta: false,
    validateSchema: false,
    validateFormats: false,
    unicodeRegExp: false,
    passContext: true,
    inlineRefs: false,
    verbose: true,
    logger: false,
    // Rewriting the generated code takes as long as generating it, and saves less in a run of thousands of files.
    code: { optimize: false, regExp: Object.assign(tolerantPattern, { code: 'tolerantPattern' }) },
  });
  ajv.addKeyword({ keyword: '$schemaRef', validate: noteReference, errors: false });
  ajv.addKeyword({ keyword: 'resourceRef', validate: noteResource, errors: false });
  for (const [path, schema] of schemas) ajv.addSchema(prepared(schema, path) as object, path);
  const inlined = new Map<object, ValidateFunction>();
  return {
    schema: (path) => (schemas.has(path) ? compiledSchema(ajv, path) : undefined),
    inline: (schema) => {
      const known = inlined.get(schema) ?? ajv.compile(prepared(schema, '') as object);
      inlined.set(schema, known);
      return known;
    },
  };
}

function compiledSchema(ajv: Ajv, path: string): ValidateFunction | undefined {
  try {
    return ajv.getSchema(path);
  } catch (thrown) {
    throw new EchelonError({
      code: 'SCHEMA_INVALID',
      message: `cannot compile schema ${path}: ${messageOf(thrown)}`,
      hint: 'extract the schemas from the schemas image of the instance again',
      cause: thrown,
    });
  }
}

interface DataContext {
  readonly instancePath: string;
}

function noteReference(
  this: CollectedRefs,
  demand: string | object,
  data: unknown,
  _: unknown,
  at?: DataContext,
): boolean {
  const target = refPath(data);
  if (target !== undefined && at !== undefined) {
    this.references.push({ pointer: at.instancePath, target, demand });
  }
  return true;
}

/**
 * Called in every branch of a choice, also in one that does not match: a Vault path where another branch has a resource.
 * Resources begin with a slash, Vault paths never do.
 */
function noteResource(this: CollectedRefs, _: unknown, data: unknown, __: unknown, at?: DataContext): boolean {
  if (typeof data === 'string' && data.startsWith('/') && at !== undefined) {
    this.resources.push({ pointer: at.instancePath, target: data });
  }
  return true;
}

const CROSSREF = '/common-1.json#/definitions/crossref';
const RESOURCEREF = '/common-1.json#/definitions/resourceref';

/**
 * A copy of a schema with draft-06's rule for `$ref` applied and resource references tagged. References inside
 * the schema include its path, so that a part of it can be compiled alone.
 */
function prepared(schema: unknown, path: string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => prepared(item, path));
  if (typeof schema !== 'object' || schema === null) return schema;
  const node = schema as Record<string, unknown>;
  if (typeof node['$ref'] === 'string') return preparedRef(node, node['$ref'], path);
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => key !== '$schema' || typeof node[key] !== 'string')
      .map(([key, value]) => [key, key === '$schemaRef' ? value : prepared(value, path)]),
  );
}

function preparedRef(node: Record<string, unknown>, target: string, path: string): Record<string, unknown> {
  const { $schemaRef } = node;
  const $ref = target.startsWith('#') ? `${path}${target}` : target;
  return {
    $ref,
    ...($ref === CROSSREF && $schemaRef !== undefined ? { $schemaRef } : {}),
    ...($ref === RESOURCEREF ? { resourceRef: true } : {}),
  };
}

interface SchemaPattern {
  test(text: string): boolean;
  /** The validator takes two patterns that are written alike for one. */
  toString(): string;
}

/** Every text matches a pattern that no engine accepts. Compiled when it is first needed: few files say what most patterns are for. */
function tolerantPattern(pattern: string): SchemaPattern {
  let compiled: SchemaPattern | undefined;
  const test = (text: string): boolean => {
    compiled ??= schemaPattern(pattern) ?? { test: () => true };
    return compiled.test(text);
  };
  return { test, toString: () => pattern };
}

/** The longest text that is tried in an engine that backtracks, after the linear one matched, and without that. */
const LONGEST_ASSERTED = 4_096;
const LONGEST_BACKTRACKED = 256;

/**
 * The schemas use Python regular expressions, where `(?i)` at the start is a flag. They run in linear time, whatever
 * the text. What that engine does not have, as `(?!…)`, is first left out, which matches more, and then checked in texts
 * that are not long. Undefined when no engine accepts the pattern.
 */
export function schemaPattern(pattern: string): SchemaPattern | undefined {
  const linear = linearPattern(pattern);
  if (linear !== undefined) return linear;
  const exact = backtracking(pattern);
  if (exact === undefined) return undefined;
  const wider = linearPattern(withoutAssertions(pattern));
  if (wider === undefined) return { test: (text) => text.length > LONGEST_BACKTRACKED || exact.test(text) };
  return { test: (text) => wider.test(text) && (text.length > LONGEST_ASSERTED || exact.test(text)) };
}

function linearPattern(pattern: string): SchemaPattern | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}

function backtracking(pattern: string): RegExp | undefined {
  const flags = /^\(\?([ims]+)\)/.exec(pattern);
  try {
    return new RegExp(flags === null ? pattern : pattern.slice(flags[0].length), flags?.[1] ?? '');
  } catch {
    return undefined;
  }
}

/** An escaped character, a class, the start of an assertion, or a single character. */
const TOKEN = /\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?<?[=!]|./gs;

const DEPTHS: Readonly<Record<string, number>> = { '(': 1, '(?=': 1, '(?!': 1, '(?<=': 1, '(?<!': 1, ')': -1 };
const ASSERTION = new Set(Object.keys(DEPTHS).filter((token) => token.length > 1));

function withoutAssertions(pattern: string): string {
  let rest = '';
  /** How many groups are open since the assertion began; 0 outside of one. */
  let inside = 0;
  for (const [token] of pattern.matchAll(TOKEN)) {
    if (inside === 0 && !ASSERTION.has(token)) rest += token;
    else inside += DEPTHS[token] ?? 0;
  }
  return rest;
}
