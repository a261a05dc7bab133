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
  // What has no type, such as `{ required: ['min'] }`, is a condition.
  const alternatives = anyOf.filter(({ type }) => type !== undefined);
  return [items, additionalProperties, ...alternatives].filter((inner) => typeof inner === 'object');
}

/** As `kubectl explain` writes types: `string`, `[]Object`, `map[string]string`, `string | integer`. */
export function typeText(node: SchemaNode): string {
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
