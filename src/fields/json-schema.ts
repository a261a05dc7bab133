import * as z from 'zod';
import type { FieldText, Kind } from './kind.ts';
import { fieldsIn, type SchemaNode } from './schema-node.ts';

/** Draft 7, which editors and validators have supported longest. */
const DIALECT = 'http://json-schema.org/draft-07/schema#';

/** The JSON Schema of a kind: what its reader accepts, with the meaning and an example of every field. */
export function jsonSchemaOf({ name, title, meaning, shape, texts, example }: Kind): SchemaNode {
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
