import type { Fields } from '../objects.ts';
import { RESOURCES, type Resource } from '../resources.ts';

/** Documents of /openapi/v3, as far as kubectl reads them: which parameters the writes of a kind take. */
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
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.35.4' },
    paths: Object.fromEntries(resources.flatMap(pathsOf)),
  };
}

const PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
  name,
  in: 'query',
  schema: { type: 'string', uniqueItems: true },
}));

function pathsOf({ group, version, kind, apiVersion, namespaced, name }: Resource): [string, Fields][] {
  const collection = `/${documentName(apiVersion)}/${namespaced ? 'namespaces/{namespace}/' : ''}${name}`;
  const operation = (action: string): Fields => ({
    parameters: PARAMETERS,
    responses: { 200: { description: 'OK' } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind },
  });
  return [
    [collection, { post: operation('post') }],
    [`${collection}/{name}`, { put: operation('put'), patch: operation('patch') }],
  ];
}
