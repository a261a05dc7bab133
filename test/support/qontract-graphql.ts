import { type DocumentNode, execute, type GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import { isJson, type Json, type LoadedBundle } from './qontract-bundle.ts';
import type { QueryContext } from './qontract-resolvers.ts';

export interface HttpAnswer {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

/** A bundle that answers queries. */
export interface QueryableBundle {
  bundle: LoadedBundle;
  schema: GraphQLSchema;
}

/** The real server's body limit. */
const MAX_BODY_BYTES = 100 * 1024;

export async function answerGraphql(target: QueryableBundle, body: string): Promise<HttpAnswer> {
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) return { status: 413, body: 'request entity too large' };
  const request = parseJson(body);
  if (request === undefined) return { status: 400, body: '<html><body>malformed JSON</body></html>' };
  if (!isJson(request) || typeof request.query !== 'string') return badRequest([{ message: 'no query in the body' }]);
  const document = parseDocument(target.schema, request.query);
  return 'kind' in document ? run(target, document, request) : badRequest(document);
}

async function run({ bundle, schema }: QueryableBundle, document: DocumentNode, request: Json): Promise<HttpAnswer> {
  const contextValue: QueryContext = { bundle, schemas: new Set() };
  const { data, errors } = await execute({
    schema,
    document,
    contextValue,
    rootValue: {},
    variableValues: isJson(request.variables) ? request.variables : {},
    operationName: typeof request.operationName === 'string' ? request.operationName : null,
  });
  // No data at all means that execution never began: a wrong operation name or wrong variables.
  if (data === undefined) return badRequest(errors ?? []);
  const extensions = { schemas: [...contextValue.schemas] };
  return json(200, { ...(errors ? { errors } : {}), data: withoutEmptyItems(data), extensions });
}

/** Empty objects in arrays are what fragments leave that match nothing; the real server drops them. */
function withoutEmptyItems(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isEmptyObject(item)).map(withoutEmptyItems);
  if (!isJson(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutEmptyItems(item)]));
}

function isEmptyObject(value: unknown): boolean {
  return isJson(value) && Object.keys(value).length === 0;
}

function parseDocument(schema: GraphQLSchema, query: string): DocumentNode | readonly GraphQLError[] {
  try {
    const document = parse(query);
    const errors = validate(schema, document);
    return errors.length > 0 ? errors : document;
  } catch (error) {
    return [error as GraphQLError];
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function badRequest(errors: readonly { message: string }[]): HttpAnswer {
  return json(400, { errors });
}

export function json(status: number, value: unknown): HttpAnswer {
  return { status, body: JSON.stringify(value), headers: { 'content-type': 'application/json; charset=utf-8' } };
}
