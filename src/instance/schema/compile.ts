import { Ajv, type ValidateFunction } from 'ajv';
import { EchelonError, messageOf } from '../../base/index.ts';
import { refPath } from '../snapshot.ts';
import { tolerantPattern } from './pattern.ts';
import { prepared } from './prepared.ts';
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

/** What the custom keywords collect while one datafile is validated. */
export interface Met {
  readonly references: TypedReference[];
  readonly resources: ResourceReference[];
}

export interface SchemaCompiler {
  /** The validator of a schema by its path; undefined when unknown. */
  schema(path: string): ValidateFunction | undefined;
  /** The validator of a schema nested in another. */
  inline(schema: object): ValidateFunction;
}

const compilers = new WeakMap<SchemaSet, SchemaCompiler>();

/** The compiler of a set of schemas, made once: compiling takes longer than checking both sides of a small change. */
export function schemaCompiler(schemas: SchemaSet): SchemaCompiler {
  const compiler = compilers.get(schemas) ?? compileSchemas(schemas);
  compilers.set(schemas, compiler);
  return compiler;
}

/**
 * Draft-06 as the existing validator applies it: keywords beside `$ref` are ignored, except `$schemaRef`;
 * `format` is not enforced. References are collected and never fail, so that `oneOf` chooses by shape alone.
 */
function compileSchemas(schemas: SchemaSet): SchemaCompiler {
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
    schema: (path) => (schemas.has(path) ? compiled(ajv, path) : undefined),
    inline: (schema) => {
      const known = inlined.get(schema) ?? ajv.compile(prepared(schema, '') as object);
      inlined.set(schema, known);
      return known;
    },
  };
}

function compiled(ajv: Ajv, path: string): ValidateFunction | undefined {
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

function noteReference(this: Met, demand: string | object, data: unknown, _: unknown, at?: DataContext): boolean {
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
function noteResource(this: Met, _: unknown, data: unknown, __: unknown, at?: DataContext): boolean {
  if (typeof data === 'string' && data.startsWith('/') && at !== undefined) {
    this.resources.push({ pointer: at.instancePath, target: data });
  }
  return true;
}
