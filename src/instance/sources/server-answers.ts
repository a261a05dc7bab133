import { isJson, type Json } from '../../base/index.ts';
import { SCHEMA } from '../domain/schemas.ts';
import { isDeeperThan, MAX_NESTING } from '../nesting.ts';
import type { Datafile } from '../snapshot.ts';
import { datafile } from './datafile.ts';
import type { RootQuery, SelectedField, Selection } from './server-queries.ts';

/** The datafiles in a response: references that the server resolved become references again. */
export function datafilesOfAnswer(query: RootQuery, answer: unknown): Datafile[] {
  const found: Datafile[] = [];
  for (const item of asList(answer)) {
    if (!isJson(item) || typeof item['path'] !== 'string') continue;
    const content = { $schema: item['schema'] ?? query.schema, ...decode(item, query.fields, found) };
    found.push(datafile(item['path'], content));
  }
  return found;
}

function decode(item: Json, fields: readonly Selection[], found: Datafile[]): Json {
  const content: Record<string, unknown> = {};
  for (const field of fields) {
    const name = typeof field === 'string' ? field : field.name;
    const value = item[name];
    if (value === undefined || value === null) continue;
    content[name] = typeof field === 'string' ? value : decodeField(value, field, found);
  }
  return content;
}

function decodeField(value: unknown, field: SelectedField, found: Datafile[]): unknown {
  if (field.kind === 'json') return typeof value === 'string' ? parsedOrText(value) : value;
  if (Array.isArray(value)) return value.map((item) => decodeObject(item, field, found));
  return decodeObject(value, field, found);
}

/** What is not JSON, or nested too deep, stays text, which is a wrong type when the file is read. */
function parsedOrText(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(value, MAX_NESTING) ? text : value;
  } catch {
    return text;
  }
}

function decodeObject(value: unknown, field: SelectedField, found: Datafile[]): unknown {
  if (!isJson(value)) return value;
  const path = value['path'];
  if (field.kind === 'ref') return { $ref: path };
  const fields = [...(field.fields ?? []), ...Object.values(field.on ?? {}).flat()];
  const content = decode(value, fields, found);
  if (field.kind === 'object' || typeof path !== 'string') return content;
  const schema = field.kind === 'namespace' ? value['schema'] : SCHEMA.saasTarget;
  if (schema !== SCHEMA.namespace) found.push(datafile(path, { $schema: schema, ...content }));
  return { $ref: path };
}

function asList(answer: unknown): readonly unknown[] {
  return Array.isArray(answer) ? answer : [];
}
