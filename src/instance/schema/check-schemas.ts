import { memoize, type Steps, type Suggest, suggestions } from '../../base/index.ts';
import { wrongTarget } from '../domain/reading.ts';
import type { Finding } from '../problem.ts';
import { bySchema, type Datafile, type Snapshot } from '../snapshot.ts';
import { meantErrors } from './branches.ts';
import { type Met, type SchemaCompiler, schemaCompiler, type TypedReference } from './compile.ts';
import { keysOf, tellSchemaError } from './schema-errors.ts';
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
  const met: Met = { references: [], resources: [] };
  const fits = validate.call(met, file.content);
  const errors = fits ? [] : meantErrors(validate.errors ?? [], (schema, value) => errorsOf(compiler, schema, value));
  return [
    ...errors.map(
      (error): Finding => ({
        rule: 'json-schema',
        severity: 'error',
        path: file.path,
        ...tellSchemaError(error, file.content),
      }),
    ),
    ...referenceFindings(check, file, met),
    ...resourceFindings(check, file, met),
  ];
}

function errorsOf(compiler: SchemaCompiler, schema: unknown, value: unknown) {
  const validate = compiler.inline(schema as object);
  return validate.call({ references: [], resources: [] } satisfies Met, value) ? [] : (validate.errors ?? []);
}

/** Several branches of a choice may constrain one location; satisfying one of them is enough. */
function referenceFindings(check: SchemaCheck, file: Datafile, met: Met): Finding[] {
  const { snapshot, compiler } = check;
  const places = Map.groupBy(met.references, ({ pointer }) => pointer);
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
  return compiler.inline(demand).call({ references: [], resources: [] } satisfies Met, target.content) === true;
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

function resourceFindings({ snapshot, suggest }: SchemaCheck, file: Datafile, met: Met): Finding[] {
  const { resources } = snapshot;
  if (resources === undefined) return [];
  return met.resources
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
