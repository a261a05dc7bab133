const CROSSREF = '/common-1.json#/definitions/crossref';
const RESOURCEREF = '/common-1.json#/definitions/resourceref';

/**
 * A copy of a schema with draft-06's rule for `$ref` applied and resource references tagged. References inside
 * the schema include its path, so that a part of it can be compiled alone.
 */
export function prepared(schema: unknown, path: string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => prepared(item, path));
  if (typeof schema !== 'object' || schema === null) return schema;
  const node = schema as Record<string, unknown>;
  if (typeof node['$ref'] === 'string') return preparedRef(node, node['$ref'], path);
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => key !== '$schema' || typeof node[key] !== 'string')
      .map(([key, value]) => [key, key === '$schemaRef' ? value : prepared(value, path)]),
  );
}

function preparedRef(node: Record<string, unknown>, target: string, path: string): Record<string, unknown> {
  const { $schemaRef } = node;
  const $ref = target.startsWith('#') ? `${path}${target}` : target;
  return {
    $ref,
    ...($ref === CROSSREF && $schemaRef !== undefined ? { $schemaRef } : {}),
    ...($ref === RESOURCEREF ? { resourceRef: true } : {}),
  };
}
