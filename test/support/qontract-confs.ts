/** The GraphQL type configuration an instance ships in its bundle. */
export interface Conf {
  name: string;
  fields: ConfField[];
  datafile?: string;
  isInterface?: boolean;
  interface?: string;
  interfaceResolve?: { strategy: 'fieldMap' | 'schema'; field?: string; fieldMap?: Record<string, string> };
}

export interface ConfField {
  name: string;
  type: string;
  isList?: boolean;
  isRequired?: boolean;
  isSearchable?: boolean;
  isResource?: boolean;
  resolveResource?: boolean;
  synthetic?: { schema: string; subAttr: string };
  datafileSchema?: string;
}

export type Confs = ReadonlyMap<string, Conf>;

/** Both forms are accepted: `{ confs: [...] }` and the legacy bare array. */
export function readConfs(graphql: unknown): Confs {
  const list = Array.isArray(graphql) ? graphql : (graphql as { confs?: unknown } | undefined)?.confs;
  if (!Array.isArray(list)) throw new Error('the bundle has no GraphQL confs');
  return new Map(list.map((conf: Conf) => [conf.name, conf]));
}

/** A field whose text names a resource, answered with the resource itself. */
export function isResolvedResource(field: ConfField): boolean {
  return field.isResource === true && field.resolveResource === true && field.type === 'string';
}

/** True of a type mapped to a datafile schema, itself or through its interface. */
export function isDatafileConf(confs: Confs, conf: Conf): boolean {
  const parent = conf.interface === undefined ? undefined : confs.get(conf.interface);
  return conf.datafile !== undefined || parent?.datafile !== undefined;
}
