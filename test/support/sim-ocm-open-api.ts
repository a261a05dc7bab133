import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { isJson, type Json } from '../../src/base/index.ts';

/** A request and its answer, as they went over the wire. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly request: unknown;
  readonly status: number;
  readonly response: unknown;
}

type Schema = Record<string, unknown>;

/** What a published document lacks or has wrong, by the name of the schema. */
export interface Overlay {
  readonly schemas: Readonly<Record<string, (schema: Schema) => Schema>>;
  /** Parameters that services take without saying so. */
  readonly parameters: readonly string[];
  /** Members that pages have without the document saying so. */
  readonly pages: Readonly<Record<string, unknown>>;
  /** Statuses that are answered besides those of the document. */
  readonly statuses: Readonly<Record<string, string>>;
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Checks exchanges against an OpenAPI document, closed: a field that it does not name is a fault. */
export class OpenApi {
  readonly #document: Json;
  readonly #overlay: Overlay;
  readonly #definitions: Record<string, unknown>;
  readonly #ajv = new Ajv({
    allErrors: true,
    strict: false,
    formats: { 'date-time': DATE_TIME, email: true, int32: true, int64: true, float: true, double: true },
  });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(file: string, overlay: Overlay) {
    this.#document = JSON.parse(readFileSync(file, 'utf8')) as Json;
    this.#overlay = overlay;
    const names = Object.keys(this.#schemas());
    this.#definitions = Object.fromEntries(names.map((name) => [name, this.#definition(name)]));
  }

  /** `GET /api/…/{id}` of a path; undefined where the document has none. */
  operationAt(method: string, path: string): string | undefined {
    const template = this.#templateOf(path);
    const operation = template === undefined ? undefined : this.#operation(method, template);
    return operation === undefined ? undefined : `${method} ${template}`;
  }

  /** What is not as the document says; empty when all is well. */
  faults(exchange: Exchange): string[] {
    const { method, path } = exchange;
    const template = this.#templateOf(path);
    const operation = template === undefined ? undefined : this.#operation(method, template);
    if (operation === undefined) return [`${method} ${path}: not in the document`];
    return [
      ...this.#parameterFaults(operation, exchange),
      ...this.#bodyFaults(operation, exchange),
      ...this.#answerFaults(operation, exchange),
    ].map((fault) => `${method} ${path} ${exchange.status}: ${fault}`);
  }

  #parameterFaults(operation: Json, { query }: Exchange): string[] {
    const listed = (Array.isArray(operation['parameters']) ? operation['parameters'] : []) as Json[];
    const known = listed.map((parameter) => this.#dereferenced(parameter)['name']);
    return query
      .filter((name) => !known.includes(name) && !this.#overlay.parameters.includes(name))
      .map((name) => `there is no parameter ${name}`);
  }

  #bodyFaults(operation: Json, { request, status }: Exchange): string[] {
    const schema = schemaIn(operation['requestBody']);
    if (request === undefined || schema === undefined || status >= 400) return [];
    return this.#validate(schema, request).map((fault) => `request ${fault}`);
  }

  #answerFaults(operation: Json, { status, response, method }: Exchange): string[] {
    const responses = operation['responses'] as Json;
    const stand = this.#overlay.statuses[`${method} ${status}`];
    const found =
      responses[String(status)] ?? responses[stand ?? ''] ?? (status >= 400 ? responses['default'] : undefined);
    const error = status >= 400 ? { $ref: '#/components/schemas/Error' } : undefined;
    const schema = schemaIn(found) ?? error;
    if (found === undefined && error === undefined) return [`there is no answer ${status}`];
    if (schema === undefined) return response === undefined ? [] : ['there is a body where none should be'];
    return this.#validate(schema, response, isPage(schema) ? this.#overlay.pages : {});
  }

  #validate(schema: Json, value: unknown, more: Json = {}): string[] {
    const key = JSON.stringify(schema);
    const closed = this.#closed(schema);
    if (isJson(closed['properties'])) closed['properties'] = { ...closed['properties'], ...more };
    const known = this.#compiled.get(key) ?? this.#ajv.compile({ ...closed, definitions: this.#definitions });
    this.#compiled.set(key, known);
    if (known(value)) return [];
    return (known.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  #definition(name: string): unknown {
    const patch = this.#overlay.schemas[name];
    const closed = this.#closed(this.#schemas()[name] as Json);
    return patch === undefined ? closed : patch(closed);
  }

  /** The schema without what only describes, with nothing allowed that it does not name. */
  #closed(schema: Json): Schema {
    if (typeof schema['$ref'] === 'string')
      return { $ref: schema['$ref'].replace('#/components/schemas/', '#/definitions/') };
    if (Array.isArray(schema['allOf']))
      return merged(schema['allOf'].map((part: Json) => this.#closed(this.#dereferenced(part))));
    const kept: Schema = {};
    for (const key of ['type', 'enum', 'format', 'required', 'maxItems'])
      if (schema[key] !== undefined) kept[key] = schema[key];
    if (isJson(schema['items'])) kept['items'] = this.#closed(schema['items']);
    if (!isJson(schema['properties'])) return { ...kept, ...this.#mapOf(schema) };
    const properties = Object.entries(schema['properties']).map(([name, part]) => [name, this.#closed(part as Json)]);
    return { ...kept, type: 'object', properties: Object.fromEntries(properties), additionalProperties: false };
  }

  #mapOf({ additionalProperties: values }: Json): Schema {
    return isJson(values) ? { additionalProperties: this.#closed(values) } : {};
  }

  #dereferenced(part: Json): Json {
    const path = typeof part['$ref'] === 'string' ? part['$ref'].split('/').slice(1) : undefined;
    if (path === undefined) return part;
    return path.reduce<Json>((node, key) => node[key] as Json, this.#document);
  }

  #operation(method: string, template: string): Json | undefined {
    return (this.#paths()[template] as Json)[method.toLowerCase()] as Json | undefined;
  }

  /** Literal segments win over templates. */
  #templateOf(path: string): string | undefined {
    const segments = path.split('/');
    const fits = (template: string): boolean => {
      const parts = template.split('/');
      return (
        parts.length === segments.length &&
        parts.every((part, index) => part.startsWith('{') || part === segments[index])
      );
    };
    const found = Object.keys(this.#paths()).filter(fits);
    return found.sort((a, b) => a.split('{').length - b.split('{').length)[0];
  }

  #paths(): Json {
    return this.#document['paths'] as Json;
  }

  #schemas(): Json {
    return (this.#document['components'] as Json)['schemas'] as Json;
  }
}

function schemaIn(body: unknown): Json | undefined {
  const content = isJson(body) ? body['content'] : undefined;
  const json = isJson(content) ? content['application/json'] : undefined;
  const schema = isJson(json) ? json['schema'] : undefined;
  return isJson(schema) ? schema : undefined;
}

/** Written out in the answer itself, not by name. */
function isPage(schema: Json): boolean {
  return isJson(schema['properties']) && 'items' in schema['properties'];
}

function merged(parts: readonly Schema[]): Schema {
  const properties = Object.assign({}, ...parts.map((part) => part['properties']));
  const required = parts.flatMap((part) => (part['required'] as string[] | undefined) ?? []);
  return { type: 'object', properties, additionalProperties: false, ...(required.length === 0 ? {} : { required }) };
}
