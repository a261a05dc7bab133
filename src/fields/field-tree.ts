import { defined } from '../base/index.ts';
import { fieldsIn, type SchemaNode, typeText } from './schema-node.ts';

/** What is known of one field. */
export interface Field {
  readonly name: string;
  /** From the kind on: `integration.managed.spec`. */
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
