import { didYouMean } from '../../base/index.ts';
import { wrongTarget } from '../domain/reading.ts';
import type { Finding } from '../problem.ts';
import type { Datafile, Snapshot } from '../snapshot.ts';
import { meantErrors } from './branches.ts';
import { compileSchemas, type Met, type SchemaCompiler, type TypedReference } from './compile.ts';
import { keysOf, tellSchemaError } from './schema-errors.ts';
import type { SchemaSet } from './schema-set.ts';

/** Checks every datafile against its JSON schema, and every reference against the schema's constraint on its target. */
export function checkSchemas(snapshot: Snapshot, schemas: SchemaSet): Finding[] {
  const compiler = compileSchemas(schemas);
  return [...snapshot.datafiles.values()].flatMap((file) => checkFile(snapshot, compiler, file));
}

function checkFile(snapshot: Snapshot, compiler: SchemaCompiler, file: Datafile): Finding[] {
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
    ...referenceFindings(snapshot, compiler, file, met),
    ...resourceFindings(snapshot, file, met),
  ];
}

function errorsOf(compiler: SchemaCompiler, schema: unknown, value: unknown) {
  const validate = compiler.inline(schema as object);
  return validate.call({ references: [], resources: [] } satisfies Met, value) ? [] : (validate.errors ?? []);
}

/** Several branches of a choice may constrain one location; satisfying one of them is enough. */
function referenceFindings(snapshot: Snapshot, compiler: SchemaCompiler, file: Datafile, met: Met): Finding[] {
  const places = Map.groupBy(met.references, ({ pointer }) => pointer);
  return [...places.values()].flatMap((demands): Finding[] => {
    const [first] = demands;
    const target = first === undefined ? undefined : snapshot.datafiles.get(first.target);
    if (first === undefined || target === undefined) return [];
    if (demands.some(({ demand }) => satisfies(target, demand, compiler))) return [];
    const keys = [...keysOf(first.pointer, file.content), '$ref'];
    return [{ severity: 'error', path: file.path, keys, ...wrongType(snapshot, first, target) }];
  });
}

function satisfies(target: Datafile, demand: string | object, compiler: SchemaCompiler): boolean {
  if (typeof demand === 'string') return target.schema === demand;
  return compiler.inline(demand).call({ references: [], resources: [] } satisfies Met, target.content) === true;
}

function wrongType(snapshot: Snapshot, { target, demand }: TypedReference, found: Datafile) {
  const wanted = typeof demand === 'string' ? [demand] : enumOf(demand);
  const candidates = [...snapshot.datafiles.values()].filter(({ schema }) => wanted.includes(schema ?? ''));
  const what = wanted.length === 0 ? 'file of the type that the schema requires' : wanted.join(' or ');
  return wrongTarget(
    target,
    found.schema,
    what,
    candidates.map(({ path }) => path),
  );
}

/** `{ properties: { $schema: { enum: [...] } } }`, the usual inline constraint. */
function enumOf(demand: object): string[] {
  const { properties } = demand as { properties?: Record<string, { enum?: unknown }> };
  const values = properties?.['$schema']?.enum;
  return Array.isArray(values) ? values.map(String) : [];
}

function resourceFindings(snapshot: Snapshot, file: Datafile, met: Met): Finding[] {
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
      hint: didYouMean(target, resources, 'use the path of a file below resources/, with a leading slash'),
    }));
}
