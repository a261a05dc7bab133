import type { ErrorObject } from 'ajv';
import { didYouMean, memoize, type Steps, type Suggest, shown, suggestions } from '../../base/index.ts';
import { fieldName, TYPE_NAMES, wrongTarget } from '../domain/reading.ts';
import type { Finding, KeyPath } from '../problem.ts';
import { bySchema, type Datafile, type Snapshot } from '../snapshot.ts';
import { type CollectedRefs, type SchemaCompiler, schemaCompiler, type TypedReference } from './compile.ts';
import type { SchemaSet } from './schema-set.ts';

/** Checks datafiles against their JSON schemas, and every reference against the schema's constraint on its target. */
export function* checkSchemas(snapshot: Snapshot, schemas: SchemaSet): Steps<Finding[]> {
  const check: SchemaCheck = {
    snapshot,
    compiler: schemaCompiler(schemas),
    suggest: suggestions(),
    pathsOf: memoize(MOST_SCHEMAS, (schema) => new Set(bySchema(snapshot, schema).map(({ path }) => path))),
  };
  const findings: Finding[] = [];
  for (const file of snapshot.datafiles.values()) {
    for (const finding of checkFile(check, file)) findings.push(finding);
    yield;
  }
  return findings;
}

interface SchemaCheck {
  readonly snapshot: Snapshot;
  readonly compiler: SchemaCompiler;
  readonly suggest: Suggest;
  /** The datafiles with a schema. */
  readonly pathsOf: (schema: string) => ReadonlySet<string>;
}

const MOST_SCHEMAS = 1_000;

function checkFile(check: SchemaCheck, file: Datafile): Finding[] {
  const { compiler } = check;
  const validate = file.schema === undefined ? undefined : compiler.schema(file.schema);
  if (validate === undefined) return [];
  const refs: CollectedRefs = { references: [], resources: [] };
  const fits = validate.call(refs, file.content);
  const errors = fits
    ? []
    : relevantErrors(validate.errors ?? [], (schema, value) => errorsOf(compiler, schema, value));
  return [
    ...errors.map(
      (error): Finding => ({
        rule: 'json-schema',
        severity: 'error',
        path: file.path,
        ...describeSchemaError(error, file.content),
      }),
    ),
    ...referenceFindings(check, file, refs),
    ...resourceFindings(check, file, refs),
  ];
}

function errorsOf(compiler: SchemaCompiler, schema: unknown, value: unknown) {
  const validate = compiler.inline(schema as object);
  return validate.call({ references: [], resources: [] } satisfies CollectedRefs, value) ? [] : (validate.errors ?? []);
}

/** Several branches of a choice may constrain one location; satisfying one of them is enough. */
function referenceFindings(check: SchemaCheck, file: Datafile, refs: CollectedRefs): Finding[] {
  const { snapshot, compiler } = check;
  const places = Map.groupBy(refs.references, ({ pointer }) => pointer);
  return [...places.values()].flatMap((demands): Finding[] => {
    const [first] = demands;
    const target = first === undefined ? undefined : snapshot.datafiles.get(first.target);
    if (first === undefined || target === undefined) return [];
    if (demands.some(({ demand }) => satisfies(target, demand, compiler))) return [];
    const keys = [...keysOf(first.pointer, file.content), '$ref'];
    return [{ severity: 'error', path: file.path, keys, ...wrongType(check, first, target) }];
  });
}

function satisfies(target: Datafile, demand: string | object, compiler: SchemaCompiler): boolean {
  if (typeof demand === 'string') return target.schema === demand;
  return (
    compiler.inline(demand).call({ references: [], resources: [] } satisfies CollectedRefs, target.content) === true
  );
}

function wrongType({ pathsOf, suggest }: SchemaCheck, { target, demand }: TypedReference, found: Datafile) {
  const wanted = typeof demand === 'string' ? [demand] : enumOf(demand);
  const [only] = wanted;
  const candidates = wanted.length === 1 && only !== undefined ? pathsOf(only) : union(wanted.map(pathsOf));
  const what = wanted.length === 0 ? 'file of the type that the schema requires' : wanted.join(' or ');
  return wrongTarget(target, found.schema, what, candidates, suggest);
}

function union(sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set(sets.flatMap((set) => [...set]));
}

/** `{ properties: { $schema: { enum: [...] } } }`, the usual inline constraint. */
function enumOf(demand: object): string[] {
  const { properties } = demand as { properties?: Record<string, { enum?: unknown }> };
  const values = properties?.['$schema']?.enum;
  return Array.isArray(values) ? values.map(String) : [];
}

function resourceFindings({ snapshot, suggest }: SchemaCheck, file: Datafile, refs: CollectedRefs): Finding[] {
  const { resources } = snapshot;
  if (resources === undefined) return [];
  return refs.resources
    .filter(({ target }) => !resources.has(target))
    .map(({ pointer, target }) => ({
      rule: 'resource-missing',
      severity: 'error',
      path: file.path,
      keys: keysOf(pointer, file.content),
      message: `the resource ${target} does not exist`,
      hint: suggest(target, resources, 'use the path of a file below resources/, with a leading slash'),
    }));
}

/** The errors of a schema for a value, in the order of its keywords. */
type ErrorsOf = (schema: unknown, value: unknown) => readonly ErrorObject[];

/**
 * A value that matches no branch of `oneOf` or `anyOf` has errors in every branch, and only those of the intended branch
 * are worth reporting.
 *
 * The errors of all branches come right before that of the choice, but do not name their branch. So each
 * branch is validated again by itself, which also gives the number of its errors.
 */
export function relevantErrors(errors: readonly ErrorObject[], errorsOf: ErrorsOf): ErrorObject[] {
  const relevant: (readonly ErrorObject[])[] = [];
  for (let at = errors.length - 1; at >= 0; at -= 1) {
    const error = errors[at] as ErrorObject;
    if (error.keyword === 'oneOf' || error.keyword === 'anyOf') {
      const branches = triedBranches(error).map((branch) => errorsOf(branch, error.data));
      at -= branches.reduce((sum, { length }) => sum + length, 0);
      relevant.push(branchErrors(error, branches, errorsOf));
    } else {
      if (error.keyword === 'contains') at -= itemErrors(errors, at);
      relevant.push([error]);
    }
  }
  return relevant.reverse().flat();
}

/** After a value matched two branches of `oneOf`, the remaining ones are not validated. */
function triedBranches({ schema, params }: ErrorObject): readonly unknown[] {
  const passing = params['passingSchemas'] as readonly number[] | null | undefined;
  return (schema as readonly unknown[]).slice(0, passing ? Math.max(...passing) + 1 : undefined);
}

function branchErrors(
  choice: ErrorObject,
  branches: readonly (readonly ErrorObject[])[],
  errorsOf: ErrorsOf,
): readonly ErrorObject[] {
  if (branches.some((branch) => branch.length === 0)) return [choice];
  const relevant = branches.map((branch) => relevantErrors(branch, errorsOf));
  const intended = unknownKind(relevant) ?? likeliest(relevant);
  return intended.map((error) => ({ ...error, instancePath: `${choice.instancePath}${error.instancePath}` }));
}

/** The branch whose errors are deepest in the data, then the one with the fewest; of the same kind as the value, if any. */
function likeliest(branches: readonly (readonly ErrorObject[])[]): readonly ErrorObject[] {
  const ownKind = branches.filter((branch) => kindError(branch) === undefined);
  const [first = []] = (ownKind.length > 0 ? ownKind : branches).toSorted(
    (a, b) => depth(b) - depth(a) || a.length - b.length,
  );
  return first;
}

/** When a field such as `provider` selects the branch and its value is unknown, only that is reported. */
function unknownKind(branches: readonly (readonly ErrorObject[])[]): readonly ErrorObject[] | undefined {
  const errors = branches.map(kindError);
  const [first] = errors;
  if (first === undefined || errors.some((error) => error?.instancePath !== first.instancePath)) return undefined;
  const allowedValues = errors.flatMap((error) => (error === undefined ? [] : kindsOf(error)));
  return [{ ...first, keyword: 'enum', params: { allowedValues, namesBranch: true } }];
}

/** A field for which the branch allows a single value selects the branch. */
function kindError(branch: readonly ErrorObject[]): ErrorObject | undefined {
  return branch.find(
    (error) =>
      /^\/[^/]+$/.test(error.instancePath) && (kindsOf(error).length === 1 || error.params['namesBranch'] === true),
  );
}

function kindsOf({ keyword, params }: ErrorObject): readonly unknown[] {
  if (keyword === 'const') return [params['allowedValue']];
  return keyword === 'enum' ? (params['allowedValues'] as readonly unknown[]) : [];
}

/** How many errors before that of a `contains` are about its items. */
function itemErrors(errors: readonly ErrorObject[], at: number): number {
  const inside = `${errors[at]?.schemaPath}/`;
  let count = 0;
  while (errors[at - count - 1]?.schemaPath.startsWith(inside)) count += 1;
  return count;
}

function depth(branch: readonly ErrorObject[]): number {
  return branch.reduce((deepest, { instancePath }) => Math.max(deepest, instancePath.split('/').length), 0);
}

type Described = Pick<Finding, 'keys' | 'at' | 'message' | 'hint'>;

/** The message and hint for an error of the JSON schema validator, with the key path of its location. */
export function describeSchemaError(error: ErrorObject, content: unknown): Described {
  const keys = keysOf(error.instancePath, content);
  const describer = DESCRIBERS[error.keyword];
  return describer === undefined
    ? {
        keys,
        message: `${fieldName(keys, 'the file')} ${error.message ?? 'does not match the schema'}`,
        hint: 'correct the value',
      }
    : describer(error, keys);
}

const DESCRIBERS: Readonly<Record<string, (error: ErrorObject, keys: KeyPath) => Described>> = {
  required: ({ params }, keys) => ({
    keys: [...keys, String(params['missingProperty'])],
    message: `${params['missingProperty']} is missing`,
    hint: `add ${params['missingProperty']}`,
  }),
  additionalProperties: ({ params, parentSchema }, keys) => {
    const known = Object.keys((parentSchema?.['properties'] as object | undefined) ?? {});
    const extra = String(params['additionalProperty']);
    return {
      keys: [...keys, extra],
      at: 'key',
      message: `${extra} is not a field of this schema`,
      hint: didYouMean(extra, known, known.length === 0 ? 'remove it' : `known fields: ${known.join(', ')}`),
    };
  },
  enum: ({ params, data }, keys) => {
    const allowed = (params['allowedValues'] as unknown[]).map(String);
    return {
      keys,
      message: `${fieldName(keys, 'the file')} is ${shown(data)}, not one of ${allowed.join(', ')}`,
      hint: didYouMean(String(data), allowed, `use one of: ${allowed.join(', ')}`),
    };
  },
  type: ({ params, data }, keys) => ({
    keys,
    message: `${fieldName(keys, 'the file')} must be ${TYPE_NAMES[String(params['type'])] ?? params['type']}, but is ${describe(data)}`,
    hint:
      params['type'] === 'string' && typeof data !== 'object'
        ? 'quote it: YAML parses unquoted numbers, yes/no and on/off as other types'
        : `use ${TYPE_NAMES[String(params['type'])] ?? params['type']}`,
  }),
  pattern: ({ params, data }, keys) => ({
    keys,
    message: `${fieldName(keys, 'the file')} is ${shown(data)}, which does not match ${params['pattern']}`,
    hint: 'correct the value',
  }),
  contains: ({ schema }, keys) => ({
    keys,
    message: `${fieldName(keys, 'the file')} must contain ${JSON.stringify((schema as { const?: unknown }).const ?? schema)}`,
    hint: 'add it to the list',
  }),
  oneOf: (_, keys) => ({
    keys,
    message: `${fieldName(keys, 'the file')} must match exactly one of the variants in the schema`,
    hint: 'use the fields of one variant only',
  }),
  anyOf: (_, keys) => ({
    keys,
    message: `${fieldName(keys, 'the file')} matches none of the variants in the schema`,
    hint: 'add the fields that one of them requires',
  }),
};

function describe(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : `the ${typeof value} ${shown(value)}`;
}

/** Converts a JSON pointer to keys; a number is an index only where the data has a list. */
export function keysOf(pointer: string, content: unknown): KeyPath {
  const keys: (string | number)[] = [];
  let value = content;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const step = Array.isArray(value) ? Number(key) : key;
    keys.push(step);
    value = (value as Record<string | number, unknown> | undefined)?.[step];
  }
  return keys;
}
