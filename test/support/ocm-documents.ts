import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { isJson, type Json } from '../../src/base/index.ts';
import { SCHEMAS } from './shared.ts';

/** The documents that the services publish. They stand beside the repository, not in it. */
const FOLDER = join(SCHEMAS, '../../ocm');
const SERVICES = ['accounts_mgmt', 'clusters_mgmt', 'service_logs'];
export const hasOpenApi = existsSync(join(FOLDER, `${SERVICES[0]}.v1.json`));

export interface Operation {
  /** Names of the parameters of its query. */
  readonly parameters: readonly string[];
  /** What is wrong with a body that it is sent. */
  faultsOf(body: unknown): string[];
  readonly status: number;
  /** An answer with every field that the document has, a few levels deep; undefined where there is no body. */
  readonly example: unknown;
}

export interface OpenApi {
  operation(method: string, path: string): Operation | undefined;
}

interface Service {
  readonly document: Json;
  readonly ajv: Ajv;
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

export function loadOpenApi(): OpenApi {
  const services = SERVICES.map((name) => {
    const document = JSON.parse(readFileSync(join(FOLDER, `${name}.v1.json`), 'utf8')) as Json;
    const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, logger: false });
    ajv.addFormat('date-time', DATE_TIME).addSchema(document as object, 'api');
    return { document, ajv };
  });
  return {
    operation: (method, path) => {
      for (const service of services) {
        const found = Object.entries(service.document['paths'] as Json).find(([template]) => fits(template, path));
        const operation = found === undefined ? undefined : (found[1] as Json)[method.toLowerCase()];
        if (isJson(operation)) return operationOf(service, operation);
      }
      return undefined;
    },
  };
}

function fits(template: string, path: string): boolean {
  return new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`).test(path);
}

function operationOf(service: Service, operation: Json): Operation {
  const { document } = service;
  const parameters = ((operation['parameters'] ?? []) as Json[]).map((parameter) => resolved(document, parameter));
  const body = schemaIn(document, operation['requestBody']);
  const answers = operation['responses'] as Json;
  const status = Object.keys(answers).find((code) => code.startsWith('2')) ?? '200';
  return {
    parameters: parameters.filter((parameter) => parameter['in'] === 'query').flatMap(namesOf),
    faultsOf: (sent) => (body === undefined ? ['no body is expected'] : faultsOf(service, body, sent)),
    status: Number(status),
    example: exampleOf(document, schemaIn(document, answers[status])),
  };
}

/** A parameter that is an object stands for one of each of its properties. */
function namesOf({ name, schema }: Json): string[] {
  const { properties } = (schema ?? {}) as Json;
  return isJson(properties) ? Object.keys(properties) : [String(name)];
}

function schemaIn(document: Json, part: unknown): Json | undefined {
  if (!isJson(part)) return undefined;
  const content = resolved(document, part)['content'];
  return isJson(content) ? ((content['application/json'] as Json)['schema'] as Json) : undefined;
}

/** Against the schema, and for fields that it does not have. */
function faultsOf({ document, ajv }: Service, schema: Json, sent: unknown): string[] {
  const reference = String(schema['$ref']);
  const validate = ajv.getSchema(`api${reference}`) as ValidateFunction;
  const faults = validate(sent)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
  const known = Object.keys(propertiesOf(document, schema));
  const unknown = Object.keys(sent as object).filter((name) => !known.includes(name));
  return [...faults, ...unknown.map((name) => `/${name}: no such field`)];
}

function resolved(document: Json, node: Json): Json {
  const reference = node['$ref'];
  if (typeof reference !== 'string') return node;
  const found = reference
    .slice(2)
    .split('/')
    .reduce((at: unknown, key) => (at as Json)[key], document);
  return resolved(document, found as Json);
}

function propertiesOf(document: Json, schema: Json): Json {
  const { allOf, properties } = resolved(document, schema);
  const parts = ((allOf ?? []) as Json[]).map((part) => propertiesOf(document, part));
  return Object.assign({}, ...parts, properties);
}

const DEPTH = 6;

function exampleOf(document: Json, given: Json | undefined, name = '', depth = DEPTH): unknown {
  if (given === undefined || depth === 0) return undefined;
  const schema = resolved(document, given);
  if (schema['type'] === 'array')
    return [exampleOf(document, schema['items'] as Json, name, depth - 1)].filter(Boolean);
  const properties = Object.entries(propertiesOf(document, schema));
  if (properties.length === 0) return scalarOf(schema, name);
  const fields = properties.map(([key, value]) => [key, exampleOf(document, value as Json, key, depth - 1)]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function scalarOf({ type, format, enum: values }: Json, name: string): unknown {
  if (Array.isArray(values)) return values[0];
  if (format === 'date-time') return '2026-01-02T03:04:05.678901Z';
  if (type === 'string') return `a ${name}`;
  if (type === 'integer' || type === 'number') return 1;
  return type === 'boolean' ? true : undefined;
}
