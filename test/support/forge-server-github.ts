import { z } from 'zod';
import { pageOf, type Route, type RouteAnswer, requestNumbered } from './forge-server-routes.ts';
import {
  addComment,
  addRequest,
  commitsBetween,
  type ForgeState,
  type StoredComment,
  type StoredCommit,
  type StoredRequest,
  shaOf,
} from './forge-server-state.ts';

const MAX_BODY = 65_536;
const MAX_TITLE = 256;
const DEFAULT_PER_PAGE = 30;

const page = {
  page: z
    .string()
    .regex(/^[1-9]\d*$/)
    .optional(),
  per_page: z
    .string()
    .regex(/^(?:[1-9]\d?|100)$/)
    .optional(),
};
const pulls = z.strictObject({
  state: z.enum(['open', 'closed', 'all']).optional(),
  head: z.string().optional(),
  base: z.string().optional(),
  sort: z.enum(['created', 'updated', 'popularity', 'long-running']).optional(),
  direction: z.enum(['asc', 'desc']).optional(),
  ...page,
});
const newPull = z.strictObject({
  title: z.string().optional(),
  head: z.string(),
  base: z.string(),
  body: z.string().optional(),
  head_repo: z.string().optional(),
  maintainer_can_modify: z.boolean().optional(),
  draft: z.boolean().optional(),
  issue: z.int().optional(),
});
const pullChange = z.strictObject({
  title: z.string().optional(),
  body: z.string().optional(),
  state: z.enum(['open', 'closed']).optional(),
  base: z.string().optional(),
  maintainer_can_modify: z.boolean().optional(),
});
const comment = z.strictObject({ body: z.string() });
const labels = z.strictObject({ labels: z.array(z.string()).min(1) });

const REPO = '/github/repos/:owner/:repo';
const NOT_FOUND: RouteAnswer = { status: 404, body: { message: 'Not Found' } };

/** Endpoints of the REST API of GitHub that Echelon uses, below `/github`. */
export const GITHUB_ROUTES: readonly Route[] = [
  { on: 'GET /github/user', act: ({ state }) => ok(user(state.user)) },
  {
    on: `GET ${REPO}`,
    act: ({ state }) => ok({ id: 1, full_name: state.project, default_branch: state.defaultBranch, private: true }),
  },
  {
    on: `GET ${REPO}/branches/:branch`,
    act: ({ state, part }) => {
      const sha = state.branches.get(part('branch'));
      return sha === undefined
        ? { status: 404, body: { message: 'Branch not found' } }
        : ok({ name: part('branch'), commit: { sha }, protected: false });
    },
  },
  {
    // Only as `application/vnd.github.sha`, which is a text.
    on: `GET ${REPO}/commits/:ref`,
    act: ({ state, part }) => {
      const text = shaOf(state, part('ref'));
      return text === undefined
        ? { status: 422, body: { message: `No commit found for SHA: ${part('ref')}` } }
        : { status: 200, text };
    },
  },
  {
    on: `GET ${REPO}/compare/:basehead`,
    query: z.strictObject(page),
    act: ({ state, part, query }) => compared(state, part('basehead'), query),
  },
  {
    on: `GET ${REPO}/pulls`,
    query: pulls,
    act: ({ state, query }) => {
      const wanted = state.requests.filter((request) => isWanted(state, request, query));
      return ok(pageOf(wanted.toReversed(), query, DEFAULT_PER_PAGE).map((request) => pull(state, request)));
    },
  },
  { on: `POST ${REPO}/pulls`, body: newPull, act: ({ state, body }) => opened(state, newPull.parse(body)) },
  {
    on: `GET ${REPO}/pulls/:number`,
    act: ({ state, part }) => withRequest(state, part('number'), (one) => ok(pull(state, one))),
  },
  {
    on: `PATCH ${REPO}/pulls/:number`,
    body: pullChange,
    act: ({ state, part, body }) =>
      withRequest(state, part('number'), (request) => {
        const change = pullChange.parse(body);
        const refusal = tooLong(change);
        if (refusal !== undefined) return refusal;
        request.title = change.title ?? request.title;
        request.body = change.body ?? request.body;
        request.state = change.state ?? request.state;
        return ok(pull(state, request));
      }),
  },
  {
    on: `POST ${REPO}/issues/:number/labels`,
    body: labels,
    act: ({ state, part, body }) =>
      withRequest(state, part('number'), (request) => {
        request.labels = [...new Set([...request.labels, ...labels.parse(body).labels])];
        return ok(request.labels.map(label));
      }),
  },
  {
    on: `GET ${REPO}/issues/:number/comments`,
    query: z.strictObject({ since: z.string().optional(), ...page }),
    act: ({ state, part, query }) =>
      withRequest(state, part('number'), ({ comments }) =>
        ok(pageOf(comments, query, DEFAULT_PER_PAGE).map(commentOf)),
      ),
  },
  {
    on: `POST ${REPO}/issues/:number/comments`,
    body: comment,
    act: ({ state, part, body }) =>
      withRequest(state, part('number'), (request) => {
        const text = comment.parse(body).body;
        return tooLong({ body: text }) ?? { status: 201, body: commentOf(addComment(state, request, text)) };
      }),
  },
  {
    on: `PATCH ${REPO}/issues/comments/:comment`,
    body: comment,
    act: ({ state, part, body }) => {
      const all = state.requests.flatMap(({ comments }) => comments);
      const found = all.find(({ id }) => id === Number(part('comment')));
      if (found === undefined) return NOT_FOUND;
      found.body = comment.parse(body).body;
      return ok(commentOf(found));
    },
  },
];

function ok(body: unknown): RouteAnswer {
  return { status: 200, body };
}

function withRequest(state: ForgeState, number: string, act: (request: StoredRequest) => RouteAnswer): RouteAnswer {
  const request = requestNumbered(state, number);
  return request === undefined ? NOT_FOUND : act(request);
}

function user(login: string): unknown {
  return { login, id: login.length, type: login.endsWith('[bot]') ? 'Bot' : 'User' };
}

function label(name: string): unknown {
  return { id: name.length, name, color: 'ededed', default: false };
}

function commentOf({ id, body, author }: StoredComment): unknown {
  return { id, body, user: user(author), created_at: '2026-01-01T00:00:00Z' };
}

function pull(state: ForgeState, request: StoredRequest): unknown {
  const repo = request.fork === true ? `somebody/${state.project.split('/')[1]}` : state.project;
  return {
    id: request.number + 1000,
    number: request.number,
    html_url: `https://github.com/${state.project}/pull/${request.number}`,
    title: request.title,
    body: request.body === '' ? null : request.body,
    state: request.state === 'open' ? 'open' : 'closed',
    draft: false,
    labels: request.labels.map(label),
    user: user(state.user),
    head: { ref: request.source, label: `${repo.split('/')[0]}:${request.source}`, repo: { full_name: repo } },
    base: { ref: request.target, repo: { full_name: state.project } },
  };
}

/** A head that is not `owner:branch` filters nothing, as with the real one. */
function isWanted(state: ForgeState, request: StoredRequest, query: Readonly<Record<string, string>>): boolean {
  const wanted = query['state'] ?? 'open';
  if (wanted !== 'all' && (request.state === 'open') !== (wanted === 'open')) return false;
  const head = query['head'];
  if (head?.includes(':') !== true) return true;
  const owner = request.fork === true ? 'somebody' : state.project.split('/')[0];
  return head === `${owner}:${request.source}`;
}

function invalid(...errors: readonly Record<string, string>[]): RouteAnswer {
  return {
    status: 422,
    body: { message: 'Validation Failed', errors, documentation_url: 'https://docs.github.com/rest' },
  };
}

function tooLong({
  title = '',
  body = '',
}: {
  readonly title?: string | undefined;
  readonly body?: string | undefined;
}): RouteAnswer | undefined {
  const field = (title.length > MAX_TITLE && 'title') || (body.length > MAX_BODY && 'body');
  if (field === false) return undefined;
  return invalid({
    resource: 'Issue',
    code: 'custom',
    field,
    message: `${field} is too long (maximum is ${MAX_BODY} characters)`,
  });
}

function opened(state: ForgeState, { title = '', body = '', head, base }: z.infer<typeof newPull>): RouteAnswer {
  const resource = 'PullRequest';
  if (!state.branches.has(head)) return invalid({ resource, field: 'head', code: 'invalid' });
  if (!state.branches.has(base)) return invalid({ resource, field: 'base', code: 'invalid' });
  const refusal = tooLong({ title, body });
  if (refusal !== undefined) return refusal;
  const same = state.requests.some(
    (one) => one.state === 'open' && one.fork !== true && one.source === head && one.target === base,
  );
  const owner = state.project.split('/')[0];
  if (same)
    return invalid({ resource, code: 'custom', message: `A pull request already exists for ${owner}:${head}.` });
  return { status: 201, body: pull(state, addRequest(state, { title, body, source: head, target: base })) };
}

function compared(state: ForgeState, basehead: string, query: Readonly<Record<string, string>>): RouteAnswer {
  const [base, head] = basehead.split('...').map((ref) => shaOf(state, ref));
  if (base === undefined || head === undefined) return NOT_FOUND;
  const ahead = commitsBetween(state, base, head);
  const behind = commitsBetween(state, head, base).length;
  const aheadStatus = behind > 0 ? 'diverged' : 'ahead';
  const otherStatus = behind > 0 ? 'behind' : 'identical';
  return ok({
    status: ahead.length > 0 ? aheadStatus : otherStatus,
    ahead_by: ahead.length,
    behind_by: behind,
    total_commits: ahead.length,
    base_commit: { sha: base },
    commits: pageOf(ahead, query, 250).map(commitOf),
    files: [],
  });
}

function commitOf({ sha, message, author, date, login }: StoredCommit): unknown {
  return {
    sha,
    html_url: `https://github.com/x/y/commit/${sha}`,
    commit: { message, author: { ...author, date }, committer: { name: 'GitHub', email: 'noreply@github.com', date } },
    author: login === undefined ? null : user(login),
    committer: null,
  };
}
