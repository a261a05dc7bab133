import type { HttpMethod } from '../http/index.ts';
import type { ForgeTransport } from './transport.ts';

interface GitlabApiOptions {
  readonly api: string;
  readonly transport: ForgeTransport;
}

/** Stands for the address of the API in what the library puts together: some of its parts add a folder to that. */
const HOST = 'gitlab';

/** The parts of the library that are used, all with our own way of sending. */
export async function gitlabApi(options: GitlabApiOptions) {
  const { Branches, MergeRequestNotes, MergeRequests, Projects, Repositories, Users } = await import('@gitbeaker/rest');
  const given = {
    host: HOST,
    requesterFn: ({ url }: { readonly url: string }) => requesterThrough(options, url.slice(`${HOST}/api/v4/`.length)),
    queryTimeout: null,
    token: '',
  };
  return {
    branches: new Branches(given),
    mergeRequests: new MergeRequests(given),
    notes: new MergeRequestNotes(given),
    projects: new Projects(given),
    repositories: new Repositories(given),
    users: new Users(given),
  };
}

export type GitlabApi = Awaited<ReturnType<typeof gitlabApi>>;

interface Sent {
  readonly searchParams?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

type Send = <T>(endpoint: string, sent?: Sent) => Promise<{ body: T; headers: Record<string, string>; status: number }>;

function requesterThrough(
  { api, transport }: GitlabApiOptions,
  folder: string,
): Record<Lowercase<Exclude<HttpMethod, 'HEAD'>>, Send> {
  const base = folder === '' ? api : `${api}/${folder}`;
  const headers = { 'user-agent': 'echelon' };
  const sender =
    (method: HttpMethod): Send =>
    async <T>(endpoint: string, { searchParams = {}, body }: Sent = {}) => {
      const url = new URL(`${base}/${endpoint}`);
      for (const [name, value] of Object.entries(searchParams)) {
        if (value !== undefined) url.searchParams.set(snakeCase(name), String(value));
      }
      const content = body === undefined ? {} : { body: snakeKeys(body as Record<string, unknown>) };
      const answer = await transport({ method, url: url.href, headers, ...content });
      return { body: answer.body as T, headers: Object.fromEntries(answer.headers), status: answer.status };
    };
  return {
    get: sender('GET'),
    post: sender('POST'),
    put: sender('PUT'),
    patch: sender('PATCH'),
    delete: sender('DELETE'),
  };
}

function snakeKeys(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [snakeCase(name), value]));
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
