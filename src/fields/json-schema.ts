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
      // An editor sees the text where the reader's YAML parser makes a date.
      if (zodSchema._zod.def.type === 'date') jsonSchema.type = 'string';
      // The keys of a mapping are text anyway.
      if (isPlainText(jsonSchema.propertyNames)) delete jsonSchema.propertyNames;
    },
  }) as SchemaNode;
  addTexts(schema, texts, []);
  const examples = example === undefined ? {} : { examples: [example] };
  return { $schema: DIALECT, $id: `${name}.json`, title, description: meaning, ...examples, ...schema };
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
