import type { Fields } from '../objects.ts';
import { RESOURCES, type Resource } from '../resources.ts';
import type { ScalarType, StructType, Type } from '../schema.ts';

/** Documents of /openapi/v3: what the kinds look like, and which parameters their writes take. */
export function openApi(path: string): Fields | undefined {
  const versions = [...new Set(RESOURCES.map(({ apiVersion }) => apiVersion))];
  if (path === '/openapi/v3') {
    const paths = versions.map((version) => {
      const name = documentName(version);
      return [name, { serverRelativeURL: `/openapi/v3/${name}` }];
    });
    return { paths: Object.fromEntries(paths) };
  }
  const found = versions.find((version) => path === `/openapi/v3/${documentName(version)}`);
  return found === undefined ? undefined : document(found);
}

function documentName(apiVersion: string): string {
  return apiVersion === 'v1' ? 'api/v1' : `apis/${apiVersion}`;
}

function document(apiVersion: string): Fields {
  const resources = RESOURCES.filter((resource) => resource.apiVersion === apiVersion);
  const schemas = new Map<string, Fields>();
  for (const { type } of resources) addSchema(type, schemas);
  for (const { type, group, version, kind } of resources)
    schemas.set(type.name, {
      ...schemas.get(type.name),
      'x-kubernetes-group-version-kind': [{ group, version, kind }],
    });
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.35.4' },
    paths: Object.fromEntries(resources.flatMap(pathsOf)),
    components: { schemas: Object.fromEntries(schemas) },
  };
}

const PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
  name,
  in: 'query',
  schema: { type: 'string', uniqueItems: true },
}));

function pathsOf({ group, version, kind, apiVersion, namespaced, name, type }: Resource): [string, Fields][] {
  const collection = `/${documentName(apiVersion)}/${namespaced ? 'namespaces/{namespace}/' : ''}${name}`;
  const content = { 'application/json': { schema: refTo(type) } };
  const operation = (action: string): Fields => ({
    parameters: PARAMETERS,
    responses: { 200: { description: 'OK', content } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind },
  });
  return [
    [collection, { post: operation('post') }],
    [`${collection}/{name}`, { put: operation('put'), patch: operation('patch') }],
  ];
}

function refTo({ name }: StructType): Fields {
  return { $ref: `#/components/schemas/${name}` };
}

function addSchema(type: StructType, schemas: Map<string, Fields>): void {
  if (schemas.has(type.name)) return;
  schemas.set(type.name, {});
  const properties = [...type.fields].map(([name, field]) => [name, schemaOf(field.type, schemas)]);
  schemas.set(type.name, { type: 'object', properties: Object.fromEntries(properties) });
}

const SCALARS: Readonly<Record<ScalarType['name'], Fields>> = {
  string: { type: 'string' },
  bytes: { type: 'string', format: 'byte' },
  boolean: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  number: { type: 'number' },
  time: { type: 'string', format: 'date-time' },
  microTime: { type: 'string', format: 'date-time' },
  quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  intOrString: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
};

function schemaOf(type: Type, schemas: Map<string, Fields>): Fields {
  switch (type.kind) {
    case 'struct':
      addSchema(type, schemas);
      return { allOf: [refTo(type)] };
    case 'list':
      return {
        type: 'array',
        items: schemaOf(type.item, schemas),
        'x-kubernetes-list-type': type.style,
        ...(type.style === 'map' ? { 'x-kubernetes-list-map-keys': type.keys.map(({ name }) => name) } : {}),
      };
    case 'map':
      return { type: 'object', additionalProperties: schemaOf(type.value, schemas) };
    case 'scalar':
      return type.values === undefined ? SCALARS[type.name] : { ...SCALARS[type.name], enum: type.values };
    default:
      return { type: 'object' };
  }
}
