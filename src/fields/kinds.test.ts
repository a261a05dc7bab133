import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { type Field, fieldsIn, fieldTree, jsonSchemaOf, type SchemaNode } from './json-schema.ts';
import { KINDS } from './kinds.ts';

const ROWS = KINDS.map((kind) => ({ name: kind.name, kind, schema: jsonSchemaOf(kind) }));

function below(node: SchemaNode, keys: readonly string[] = []): { path: string; node: SchemaNode }[] {
  return fieldsIn(node).flatMap(({ name, schema }) => {
    const path = [...keys, name];
    return [{ path: path.join('.'), node: schema }, ...below(schema, path)];
  });
}

function fieldsOf(field: Field): Field[] {
  return field.fields.flatMap((each) => [each, ...fieldsOf(each)]);
}

describe.each(ROWS)('$name', ({ name, kind, schema }) => {
  it('has one text for every field that its reader accepts, and none for another', () => {
    expect(Object.keys(kind.texts).sort()).toEqual(
      below(schema)
        .map(({ path }) => path)
        .sort(),
    );
  });

  it('is a valid JSON Schema of draft 7', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
  });

  it('has a meaning for every field, in one sentence without a full stop', () => {
    expect(below(schema).filter(({ node }) => !/^[^.\s].*[^.]$/.test(node.description ?? ''))).toEqual([]);
  });

  it('has an example for every field without fields', () => {
    const leaves = fieldsOf(fieldTree(name, schema)).filter(({ fields }) => fields.length === 0);
    expect(leaves.filter(({ example }) => example === undefined).map(({ path }) => path)).toEqual([]);
  });

  it('has only examples that its schema accepts', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const wrong = [{ path: name, node: schema }, ...below(schema)].flatMap(({ path, node }) => {
      const { $id: _, ...own } = node;
      const { example } = fieldTree(name, node);
      return example === undefined || ajv.validate(own, example) ? [] : [`${path}: ${ajv.errorsText()}`];
    });
    expect(wrong).toEqual([]);
  });
});

it('names of kinds are unique', () => {
  expect(new Set(KINDS.map(({ name }) => name)).size).toBe(KINDS.length);
});
