import type { ServerResponse } from 'node:http';
import { GITHUB_ROUTES } from './forge-server-github.ts';
import { GITLAB_ROUTES } from './forge-server-gitlab.ts';
import { type Matched, matchRoute, type RouteAnswer } from './forge-server-routes.ts';
import type { ForgeState } from './forge-server-state.ts';
import { type Reply, type SeenRequest, startLocalHttp } from './local-http.ts';

export * from './forge-server-state.ts';

export interface ForgeFault {
  readonly method?: string;
  readonly path?: RegExp;
  /** How often; once when absent. */
  readonly times?: number;
  /** Whether the request is acted on all the same. */
  readonly acted?: boolean;
  readonly reply: Reply;
}

export interface ForgeServer {
  readonly url: string;
  /** For `GITHUB_API`. */
  readonly githubApi: string;
  /** For `GITLAB_API`. */
  readonly gitlabApi: string;
  readonly token: string;
  readonly state: ForgeState;
  readonly seen: SeenRequest[];
  /** Requests that the documentation of the forges does not have, with what is wrong about them. */
  readonly violations: string[];
  /** Requests that are not a GET. */
  writes(): SeenRequest[];
  /** From now on; the oldest fault that fits a request is used first. */
  fault(fault: ForgeFault): void;
  close(): Promise<void>;
}

export interface ForgeServerOptions {
  readonly project?: string;
  readonly user?: string;
  readonly branches?: Readonly<Record<string, string>>;
}

const TOKEN = 'forge-token-0123456789';

/** A forge with one private repository, as GitHub below `/github` and as GitLab below `/api/v4`. Strict about requests. */
export async function startForgeServer(options: ForgeServerOptions = {}): Promise<ForgeServer> {
  const state: ForgeState = {
    project: options.project ?? 'group/project',
    defaultBranch: 'main',
    branches: new Map(Object.entries(options.branches ?? {})),
    commits: [],
    requests: [],
    user: options.user ?? 'echelon-robot',
    nextId: 500,
  };
  const violations: string[] = [];
  const faults: { fault: ForgeFault; left: number }[] = [];
  const server = await startLocalHttp(async (response, request) => {
    const entry = faults.find(({ fault, left }) => left > 0 && fits(fault, request));
    if (entry === undefined) return send(response, answerTo(request, state, violations));
    entry.left -= 1;
    if (entry.fault.acted === true) answerTo(request, state, violations);
    await entry.fault.reply(response, request);
  });
  return {
    url: server.url,
    githubApi: `${server.url}/github`,
    gitlabApi: `${server.url}/api/v4`,
    token: TOKEN,
    state,
    seen: server.seen,
    violations,
    writes: () => server.seen.filter(({ method }) => method !== 'GET'),
    fault: (fault) => void faults.push({ fault, left: fault.times ?? 1 }),
    close: server.close,
  };
}

function fits({ method, path }: ForgeFault, request: SeenRequest): boolean {
  return (method === undefined || method === request.method) && (path === undefined || path.test(request.path));
}

function send(response: ServerResponse, { status, body, text, headers = {} }: RouteAnswer): void {
  const type = text === undefined ? 'application/json' : 'text/plain';
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, ...headers });
  response.end(text ?? (body === undefined ? undefined : JSON.stringify(body)));
}

function answerTo(request: SeenRequest, state: ForgeState, violations: string[]): RouteAnswer {
  const matched = matchRoute([...GITHUB_ROUTES, ...GITLAB_ROUTES], request);
  const tell = (what: string): void => void violations.push(`${request.method} ${request.path}: ${what}`);
  if (matched === undefined) {
    tell('no such endpoint');
    return { status: 404, body: { message: 'Not Found' } };
  }
  for (const wrong of headerFaults(request)) tell(wrong);
  const refusal = refusalOf(request, matched, state);
  if (refusal !== undefined) return refusal;
  const body = bodyOf(request);
  const wrong = [problemIn(matched.route.query, request.query), problemIn(matched.route.body, body)].flat();
  for (const problem of wrong) tell(problem);
  if (wrong.length > 0) return { status: 400, body: { message: wrong.join('; ') } };
  const part = (name: string): string => matched.parts.get(name) ?? '';
  return matched.route.act({ state, part, query: request.query, body: body ?? {} });
}

function headerFaults({ path, headers, body }: SeenRequest): string[] {
  const github = path.startsWith('/github/');
  return [
    ...(headers['user-agent'] ? [] : ['no user agent']),
    ...(github && !/^application\/vnd\.github/.test(headers.accept ?? '')
      ? ['does not accept the format of GitHub']
      : []),
    ...(github && headers['x-github-api-version'] === undefined ? ['names no version of the API'] : []),
    ...(body !== '' && !headers['content-type']?.startsWith('application/json')
      ? ['a body that is not said to be JSON']
      : []),
  ];
}

/** Private things are not found without a token; a wrong token is refused. */
function refusalOf({ path, headers }: SeenRequest, { parts }: Matched, state: ForgeState): RouteAnswer | undefined {
  const github = path.startsWith('/github/');
  const given = github ? headers.authorization?.replace(/^(?:token|Bearer) /i, '') : headers['private-token'];
  if (given === undefined) return { status: path.endsWith('/user') ? 401 : 404, body: { message: 'Not Found' } };
  if (given !== TOKEN) return { status: 401, body: { message: `Bad credentials: ${given}` } };
  const project = github ? `${parts.get('owner')}/${parts.get('repo')}` : parts.get('project');
  if (path.endsWith('/user') || project === state.project) return undefined;
  return { status: 404, body: { message: '404 Project Not Found' } };
}

function bodyOf({ body }: SeenRequest): Record<string, unknown> | undefined {
  return body === '' ? undefined : (JSON.parse(body) as Record<string, unknown>);
}

function problemIn(schema: Matched['route']['query'], value: unknown): string[] {
  if (schema === undefined)
    return value === undefined || Object.keys(value as object).length === 0 ? [] : ['takes nothing'];
  const result = schema.safeParse(value ?? {});
  return result.success ? [] : result.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
}
