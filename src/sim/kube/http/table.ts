import type { Fields, KubeObject } from '../objects.ts';
import type { Resource } from '../resources.ts';
import { ageText, COLUMNS, type Column } from './columns.ts';

const NAME: Column = { name: 'Name', format: 'name', cell: ({ metadata }) => metadata.name };
const age = (now: Date): Column => ({ name: 'Age', cell: ({ metadata }) => ageText(metadata.creationTimestamp, now) });

/** One object or a list of them as the table that kubectl prints. */
export function tableOf(resource: Resource, body: Fields, includeObject: string, now: Date): Fields {
  const { metadata, items } = body;
  const objects = (Array.isArray(items) ? items : [body]) as KubeObject[];
  const columns = columnsOf(resource, now);
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: Array.isArray(items) ? metadata : { resourceVersion: (metadata as Fields)['resourceVersion'] },
    columnDefinitions: columns.map(({ name, format = '', type = 'string', wide }) => ({
      name,
      type,
      format,
      description: name,
      priority: wide === true ? 1 : 0,
    })),
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, now)),
      ...(includeObject === 'None' ? {} : { object: included(resource, object, includeObject) }),
    })),
  };
}

function columnsOf({ kind }: Resource, now: Date): Column[] {
  const own = COLUMNS[kind] ?? [];
  if (kind === 'Event') return [...own];
  return [NAME, ...own.filter(({ wide }) => wide !== true), age(now), ...own.filter(({ wide }) => wide === true)];
}

function included({ kind, apiVersion }: Resource, object: KubeObject, how: string): Fields {
  if (how === 'Object') return { ...object, kind, apiVersion };
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}
