import { byText, defined, EchelonError } from '../../base/index.ts';
import type { Problem } from '../problem.ts';
import { type Datafile, fileOf, type Revision, type Snapshot } from '../snapshot.ts';
import type { InstanceSource, LoadOptions } from './instance-source.ts';
import { datafilesOfAnswer } from './server-answers.ts';
import { ROOT_QUERIES, type RootQuery } from './server-queries.ts';
import { INTROSPECTION, queryText, type ServerTypes, serverTypes } from './server-types.ts';

/** What is needed of a qontract-server; declared here, implemented by its client. */
export interface QontractApi {
  /** For people; without credentials. */
  readonly name: string;
  /** SHA-256 of the newest bundle. */
  latest(): Promise<string>;
  /** The commit that a bundle was made from, where the server tells. */
  commitOf(sha256: string): Promise<string | undefined>;
  /** Answers from that bundle and no other; `unknown-bundle` when this replica does not have it (any more). */
  query(sha256: string, query: string): Promise<QueryAnswer | 'unknown-bundle'>;
  /** Waits before another try, longer each time. */
  pause(attempt: number): Promise<void>;
}

export interface QueryAnswer {
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly errors: readonly { readonly message: string; readonly path?: readonly (string | number)[] }[];
}

/** Times that the newest bundle may turn out to be unknown: replicas load a new one some seconds apart. */
const MAX_BUNDLES = 5;
const PARALLEL_QUERIES = 4;

/** An instance as a running qontract-server shows it. All queries of one load answer from one bundle. */
export function serverSource(api: QontractApi): InstanceSource {
  return {
    origin: api.name,
    glimpse: () => api.latest(),
    load: async (options = {}) => {
      for (let attempt = 1; attempt <= MAX_BUNDLES; attempt += 1) {
        const sha256 = await api.latest();
        const snapshot = await loadBundle(api, sha256, options);
        if (snapshot !== undefined) return snapshot;
        await api.pause(attempt);
      }
      throw new EchelonError({
        code: 'SERVER_BUNDLE_UNKNOWN',
        message: `${api.name} announced ${MAX_BUNDLES} bundles that it does not serve`,
        hint: 'its replicas disagree: wait until all have loaded the newest bundle, then try again',
      });
    },
  };
}

/** The snapshot of one bundle; undefined when a replica that answered does not have it. */
async function loadBundle(api: QontractApi, sha256: string, options: LoadOptions): Promise<Snapshot | undefined> {
  const introspected = await api.query(sha256, INTROSPECTION);
  if (introspected === 'unknown-bundle') return undefined;
  const types = serverTypes(introspected.data);
  const answers = await ask(api, sha256, types, options);
  if (answers === undefined) return undefined;
  const datafiles = answers.flatMap(({ query, answer }) => datafilesOfAnswer(query, answer.data?.[query.root]));
  return {
    origin: api.name,
    kind: 'server',
    revision: await revisionOf(api, sha256),
    datafiles: new Map(datafiles.toSorted((a, b) => byText(a.path, b.path)).map((file) => [file.path, file])),
    unreadable: new Set(),
    env: new Map(),
    problems: answers.flatMap(({ query, answer }) => answerProblems(query, answer)),
    text: () => undefined,
  };
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
  const waiting = ROOT_QUERIES.flatMap((query) => {
    const text = queryText(query, types);
    return text === undefined ? [] : [{ query, text }];
  });
  requireIntegrations(
    api,
    waiting.map(({ query }) => query.root),
  );
  const answers: Answer[] = [];
  let gone = false;
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !gone; next = waiting.shift()) {
      options.signal?.throwIfAborted();
      options.onProgress?.(`ask for ${next.query.root}`);
      const answer = await api.query(sha256, next.text);
      if (answer === 'unknown-bundle') gone = true;
      else answers.push({ query: next.query, answer });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_QUERIES }, worker));
  return gone ? undefined : answers;
}

function requireIntegrations(api: QontractApi, roots: readonly string[]): void {
  if (roots.includes('integrations_v1')) return;
  throw new EchelonError({
    code: 'SERVER_NOT_QONTRACT',
    message: `${api.name} has no integrations_v1`,
    hint: 'name the address of a qontract-server, such as https://qontract.example.com/graphql',
  });
}

async function revisionOf(api: QontractApi, sha256: string): Promise<Revision> {
  const commit = await api.commitOf(sha256);
  return { id: sha256.slice(0, 12), sha256, ...defined({ commit }) };
}

/** A server answers with holes where its own data breaks its types; each hole is a problem of the datafile. */
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
      hint: 'the data breaks the types of the server: validate the instance as a directory to find the line',
    };
  });
}
