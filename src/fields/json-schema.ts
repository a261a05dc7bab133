import * as z from 'zod';
import { defined } from '../base/index.ts';
import type { FileKind } from './kinds.ts';
import type { FieldText } from './texts/datafiles.ts';

/** Draft 7, which editors and validators have supported longest. */
const DIALECT = 'http://json-schema.org/draft-07/schema#';

/** The JSON Schema of a kind: what its reader accepts, with the meaning and an example of every field. */
export function jsonSchemaOf({ name, title, meaning, shape, texts, example }: FileKind): SchemaNode {
  const { $schema: _, ...schema } = z.toJSONSchema(shape(), {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      withoutDates(zodSchema, jsonSchema as SchemaNode);
      // The keys of a mapping are text anyway.
      if (isPlainText(jsonSchema.propertyNames)) delete jsonSchema.propertyNames;
    },
  }) as SchemaNode;
  addTexts(schema, texts, []);
  const examples = example === undefined ? {} : { examples: [example] };
  return { $schema: DIALECT, $id: `${name}.json`, title, description: meaning, ...examples, ...schema };
}

/** An editor sees text where the YAML parser of a reader makes a date. */
function withoutDates(shape: z.core.$ZodTypes, node: SchemaNode): void {
  if (shape._zod.def.type !== 'union') return;
  const { options } = shape._zod.def;
  const kept = node.anyOf?.filter((_, index) => options[index]?._zod.def.type !== 'date') ?? [];
  if (kept.length !== 1) return;
  delete node.anyOf;
  Object.assign(node, kept[0]);
}

function isPlainText(names: unknown): boolean {
  return JSON.stringify(names) === '{"type":"string"}';
}

function addTexts(node: SchemaNode, texts: Readonly<Record<string, FieldText>>, keys: readonly string[]): void {
  for (const { name, schema } of fieldsIn(node)) {
    const path = [...keys, name];
    const [meaning, example] = texts[path.join('.')] ?? [];
    if (meaning !== undefined) schema.description = meaning;
    if (example !== undefined) schema.examples = [example];
    addTexts(schema, texts, path);
  }
}

/** The part of JSON Schema that the shapes of readers become. */
export interface SchemaNode {
  $schema?: string;
  $id?: string;
  title?: string;
  description?: string;
  examples?: readonly unknown[];
  default?: unknown;
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  properties?: Readonly<Record<string, SchemaNode>>;
  required?: readonly string[];
  additionalProperties?: SchemaNode | boolean;
  items?: SchemaNode;
  anyOf?: readonly SchemaNode[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minItems?: number;
  maxItems?: number;
}

interface SchemaField {
  readonly name: string;
  readonly schema: SchemaNode;
  readonly required: boolean;
}

/**
 * The named fields of a node: its own, or those of the mappings in its list, its values or its alternatives. So a path needs
 * neither positions nor the names that users choose: `managed.spec`, `upstreams.url`.
 */
export function fieldsIn(node: SchemaNode): SchemaField[] {
  if (node.properties !== undefined) {
    const required = new Set(node.required);
    return Object.entries(node.properties).map(([name, schema]) => ({ name, schema, required: required.has(name) }));
  }
  return innerNodes(node).flatMap(fieldsIn);
}

function innerNodes({ items, additionalProperties, anyOf = [] }: SchemaNode): SchemaNode[] {
  // An alternative without a type, such as `{ required: ['min'] }`, is a condition.
  const alternatives = anyOf.filter(({ type }) => type !== undefined);
  return [items, additionalProperties, ...alternatives].filter((inner) => typeof inner === 'object');
}

/** The type as in `kubectl explain`: `string`, `[]Object`, `map[string]string`, `string | integer`. */
function typeText(node: SchemaNode): string {
  const { type, const: only, items, additionalProperties } = node;
  if (only !== undefined) return JSON.stringify(only);
  const alternatives = node.anyOf?.filter((each) => isType(each)) ?? [];
  if (type === undefined && alternatives.length > 0) return [...new Set(alternatives.map(typeText))].join(' | ');
  if (type === 'array') return `[]${inBraces(typeText(items ?? {}))}`;
  if (type === 'object') return objectText(node, additionalProperties);
  return typeof type === 'string' ? type : (type?.join(' | ') ?? 'any');
}

function isType({ type, const: only, anyOf }: SchemaNode): boolean {
  return type !== undefined || only !== undefined || anyOf !== undefined;
}

function objectText({ properties }: SchemaNode, values: SchemaNode | boolean | undefined): string {
  if (properties !== undefined || typeof values !== 'object') return 'Object';
  return `map[string]${inBraces(typeText(values))}`;
}

function inBraces(text: string): string {
  return text.includes(' | ') ? `{${text}}` : text;
}

/** One field of a file, with its fields. */
export interface Field {
  readonly name: string;
  /** The path, beginning with the kind: `integration.managed.spec`. */
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly default?: unknown;
  /** The only values that it may have. */
  readonly values?: readonly unknown[];
  /** `at least 1`, `at most 1000`. */
  readonly limits?: readonly string[];
  readonly meaning: string;
  readonly example?: unknown;
  readonly fields: readonly Field[];
}

/** The fields of a kind, from its JSON Schema. */
export function fieldTree(kind: string, schema: SchemaNode): Field {
  return { ...fieldOf(kind, kind, schema, true) };
}

function fieldOf(name: string, path: string, schema: SchemaNode, required: boolean): Field {
  const limits = limitsOf(schema);
  return {
    name,
    path,
    type: typeText(schema),
    required,
    ...defined({ default: schema.default, values: schema.enum ?? schema.items?.enum }),
    ...(limits.length === 0 ? {} : { limits }),
    meaning: schema.description ?? '',
    ...defined({ example: exampleOf(schema) }),
    fields: fieldsIn(schema).map((each) => fieldOf(each.name, `${path}.${each.name}`, each.schema, each.required)),
  };
}

/** Its own example, or one made of those of the fields that it requires. */
export function exampleOf(schema: SchemaNode): unknown {
  const { examples, const: only, type, items } = schema;
  if (examples !== undefined) return examples[0];
  if (only !== undefined) return only;
  if (schema.enum !== undefined) return schema.enum[0];
  if (type === 'boolean') return true;
  if (type === 'array' && items !== undefined) return inList(exampleOf(items));
  if (schema.properties === undefined) return undefined;
  const required = fieldsIn(schema).filter((each) => each.required);
  if (required.length === 0) return undefined;
  return Object.fromEntries(required.map((each) => [each.name, exampleOf(each.schema)]));
}

function inList(example: unknown): unknown {
  return example === undefined ? undefined : [example];
}

function limitsOf({ minimum, maximum, exclusiveMinimum, minItems, maxItems }: SchemaNode): string[] {
  const texts = {
    'at least': isNamed(minimum) ? minimum : undefined,
    'more than': isNamed(exclusiveMinimum) ? exclusiveMinimum : undefined,
    'at most': isNamed(maximum) ? maximum : undefined,
    'entries: at least': minItems,
    'entries: at most': maxItems,
  };
  return Object.entries(texts).flatMap(([text, number]) => (number === undefined ? [] : [`${text} ${number}`]));
}

/** Every whole number is limited by what a computer can count. */
function isNamed(limit: number | undefined): boolean {
  return limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
}
