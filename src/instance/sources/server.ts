import { byText, defined, EchelonError, isJson, type Json, mapLimited } from '../../base/index.ts';
import { KINDS } from '../domain/kinds.ts';
import { isDeeperThan } from '../parse-datafile.ts';
import type { Problem } from '../problem.ts';
import {
  type Datafile,
  datafile,
  ECHELON_FILES,
  fileOf,
  type InstanceSource,
  type LoadOptions,
  type Revision,
  type Snapshot,
} from '../snapshot.ts';
import { MAX_NESTING } from '../yaml/yaml11.ts';
import {
  INTROSPECTION,
  inventoryText,
  queryText,
  type RootQuery,
  rootQueries,
  type SelectedField,
  type Selection,
  type ServerTypes,
  serverTypes,
  strategiesWithoutSubSharding,
} from './server-queries.ts';

/** The port to a qontract-server, implemented by its client. */
export interface QontractApi {
  /** For messages; without credentials. */
  readonly name: string;
  /** SHA-256 of the newest bundle. */
  latest(): Promise<string>;
  /** The commit of a bundle, where the server reports it. */
  commitOf(sha256: string): Promise<string | undefined>;
  /** Queries exactly that bundle; `unknown-bundle` when this replica does not have it (any more). */
  query(sha256: string, query: string): Promise<QueryAnswer | 'unknown-bundle'>;
  /** Waits before another attempt, longer each time. */
  pause(attempt: number): Promise<void>;
}

interface QueryAnswer {
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly errors: readonly { readonly message: string; readonly path?: readonly (string | number)[] }[];
}

/** How often the newest bundle may be unknown to a replica: replicas load it some seconds apart. */
const MAX_BUNDLES = 5;
const PARALLEL_QUERIES = 4;

/** An instance served by a qontract-server. All queries of one load read the same bundle. */
export function serverSource(api: QontractApi): InstanceSource {
  return {
    origin: api.name,
    currentRevision: () => api.latest(),
    load: async (options = {}) => {
      for (let attempt = 1; attempt <= MAX_BUNDLES; attempt += 1) {
        const sha256 = await api.latest();
        const snapshot = await loadBundle(api, sha256, options);
        if (snapshot !== undefined) return snapshot;
        await api.pause(attempt);
      }
      throw new EchelonError({
        code: 'SERVER_BUNDLE_UNKNOWN',
        message: `${api.name} reported ${MAX_BUNDLES} bundles in a row that it does not serve`,
        hint: 'wait until all replicas have loaded the newest bundle, then try again',
      });
    },
  };
}

/** The snapshot of one bundle; undefined when a replica does not have it. */
async function loadBundle(api: QontractApi, sha256: string, options: LoadOptions): Promise<Snapshot | undefined> {
  const introspected = await api.query(sha256, INTROSPECTION);
  if (introspected === 'unknown-bundle') return undefined;
  const types = serverTypes(introspected.data);
  const answers = await ask(api, sha256, types, options);
  if (answers === undefined) return undefined;
  const datafiles = answers.flatMap(({ query, answer }) => datafilesOfAnswer(query, answer.data?.[query.root]));
  const listed = options.inventory ? await inventory(api, sha256, types) : [];
  if (listed === undefined) return undefined;
  const echelonFiles = await readEchelonFiles(api, sha256, types);
  if (echelonFiles === undefined) return undefined;
  const given = new Set(datafiles.map(({ path }) => path));
  return {
    origin: api.name,
    kind: 'server',
    revision: await revisionOf(api, sha256),
    datafiles: new Map(datafiles.toSorted((a, b) => byText(a.path, b.path)).map((file) => [file.path, file])),
    unreadable: new Set(),
    echelonFiles,
    env: new Map(),
    strategiesWithoutSubSharding: strategiesWithoutSubSharding(types),
    ...(options.inventory ? { unservedDatafiles: new Map(listed.filter(([path]) => !given.has(path))) } : {}),
    problems: answers.flatMap(({ query, answer }) => answerProblems(query, answer)),
    text: () => undefined,
  };
}

/** Undefined when a replica does not have the bundle. */
async function readEchelonFiles(
  api: QontractApi,
  sha256: string,
  types: ServerTypes,
): Promise<Map<string, string> | undefined> {
  const echelonFiles = new Map<string, string>();
  if (types.fields.get(types.query)?.has(RESOURCES) !== true) return echelonFiles;
  for (const path of ECHELON_FILES) {
    const text = `query EchelonResource { ${RESOURCES}(path: ${JSON.stringify(path)}) { content } }`;
    const answer = await api.query(sha256, text);
    if (answer === 'unknown-bundle') return undefined;
    const content = resourceText(api, path, answer);
    if (content !== undefined) echelonFiles.set(path, content);
  }
  return echelonFiles;
}

const RESOURCES = 'resources_v1';
/** A path that does not exist is an element that must not be null. */
const ABSENT = /non-null/i;

/** Undefined where the resource does not exist: nothing else may look as if it did not. */
function resourceText(api: QontractApi, path: string, { data, errors }: QueryAnswer): string | undefined {
  const found = data?.[RESOURCES];
  const [first] = Array.isArray(found) ? found : [];
  if (isJson(first) && typeof first['content'] === 'string') return first['content'];
  if (errors.length === 0 || errors.every(({ message }) => ABSENT.test(message))) return undefined;
  throw new EchelonError({
    code: 'SERVER_RESOURCE',
    message: `${api.name} cannot give resources${path}: ${errors[0]?.message}`,
    hint: 'check the log of the qontract-server, then try again',
  });
}

/** Path and schema of what the server has besides; undefined when a replica does not have the bundle. */
async function inventory(
  api: QontractApi,
  sha256: string,
  types: ServerTypes,
): Promise<(readonly [string, string])[] | undefined> {
  const text = inventoryText(types);
  if (text === undefined) return [];
  const answer = await api.query(sha256, text);
  if (answer === 'unknown-bundle') return undefined;
  return Object.values(answer.data ?? {})
    .flatMap((items) => (Array.isArray(items) ? items : []))
    .filter(isJson)
    .map(({ path, schema }) => [String(path), String(schema)] as const)
    .sort(([a], [b]) => byText(a, b));
}

interface Answer {
  readonly query: RootQuery;
  readonly answer: QueryAnswer;
}

async function ask(
  api: QontractApi,
  sha256: string,
  types: ServerTypes,
  options: LoadOptions,
): Promise<Answer[] | undefined> {
  const waiting = rootQueries().flatMap((query) => {
    const text = queryText(query, types);
    return text === undefined ? [] : [{ query, text }];
  });
  requireIntegrations(
    api,
    waiting.map(({ query }) => query.root),
  );
  let gone = false;
  const answers = await mapLimited(
    waiting,
    PARALLEL_QUERIES,
    async ({ query, text }): Promise<Answer[]> => {
      if (gone) return [];
      options.onProgress?.(`query ${query.root}`);
      const answer = await api.query(sha256, text);
      if (answer !== 'unknown-bundle') return [{ query, answer }];
      gone = true;
      return [];
    },
    options.signal,
  );
  return gone ? undefined : answers.flat();
}

function requireIntegrations(api: QontractApi, roots: readonly string[]): void {
  if (roots.includes('integrations_v1')) return;
  throw new EchelonError({
    code: 'SERVER_NOT_QONTRACT',
    message: `${api.name} has no integrations_v1`,
    hint: 'pass the URL of a qontract-server, such as https://qontract.example.com/graphql',
  });
}

async function revisionOf(api: QontractApi, sha256: string): Promise<Revision> {
  const commit = await api.commitOf(sha256);
  return { id: sha256.slice(0, 12), sha256, ...defined({ commit }) };
}

/** A server responds with nulls where its data violates its types; each is a problem of the datafile. */
function answerProblems(query: RootQuery, { data, errors }: QueryAnswer): Problem[] {
  return errors.map(({ message, path = [] }) => {
    const item = (data?.[query.root] as Datafile[] | undefined)?.[Number(path[1])];
    const at = path.slice(2).join('.');
    return {
      rule: 'server-error',
      severity: 'error',
      file: item === undefined || item === null ? query.root : fileOf(item.path),
      ...(at === '' ? {} : { at }),
      message,
      hint: 'the data violates the types of the server: validate the instance as a directory to find the line',
    };
  });
}

/** The datafiles in a response: references that the server resolved become references again. */
export function datafilesOfAnswer(query: RootQuery, answer: unknown): Datafile[] {
  const found: Datafile[] = [];
  for (const item of asList(answer)) {
    if (!isJson(item) || typeof item['path'] !== 'string') continue;
    const content = { $schema: item['schema'] ?? query.schema, ...decode(item, query.fields, found) };
    found.push(datafile(item['path'], content));
  }
  return found;
}

function decode(item: Json, fields: readonly Selection[], found: Datafile[]): Json {
  const content: Record<string, unknown> = {};
  for (const field of fields) {
    const name = typeof field === 'string' ? field : field.name;
    const value = item[name];
    if (value === undefined || value === null) continue;
    content[name] = typeof field === 'string' ? value : decodeField(value, field, found);
  }
  return content;
}

function decodeField(value: unknown, field: SelectedField, found: Datafile[]): unknown {
  if (field.kind === 'json') return typeof value === 'string' ? parsedOrText(value) : value;
  if (Array.isArray(value)) return value.map((item) => decodeObject(item, field, found));
  return decodeObject(value, field, found);
}

/** A text that is not JSON, or nested too deep, stays text, which is a wrong type when the file is read. */
function parsedOrText(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(value, MAX_NESTING) ? text : value;
  } catch {
    return text;
  }
}

function decodeObject(value: unknown, field: SelectedField, found: Datafile[]): unknown {
  if (!isJson(value)) return value;
  const path = value['path'];
  if (field.kind === 'ref') return { $ref: path };
  const fields = [...(field.fields ?? []), ...Object.values(field.on ?? {}).flat()];
  const content = decode(value, fields, found);
  if (field.kind === 'object' || typeof path !== 'string') return content;
  const schema = field.kind === 'namespace' ? value['schema'] : KINDS.saasTarget.schema;
  if (schema !== KINDS.namespace.schema) found.push(datafile(path, { $schema: schema, ...content }));
  return { $ref: path };
}

function asList(answer: unknown): readonly unknown[] {
  return Array.isArray(answer) ? answer : [];
}
