import { z } from 'zod';
import { defined } from '../../src/base/index.ts';
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

const MAX_BODY = 1_000_000;
const MAX_TITLE = 255;
const DEFAULT_PER_PAGE = 20;
const PROJECT_ID = 42;

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
const search = z.strictObject({
  state: z.enum(['opened', 'closed', 'locked', 'merged', 'all']).optional(),
  scope: z.enum(['created_by_me', 'assigned_to_me', 'all']).optional(),
  source_branch: z.string().optional(),
  target_branch: z.string().optional(),
  labels: z.string().optional(),
  order_by: z.enum(['created_at', 'updated_at', 'title']).optional(),
  sort: z.enum(['asc', 'desc']).optional(),
  ...page,
});
const newRequest = z.strictObject({
  source_branch: z.string(),
  target_branch: z.string(),
  title: z.string(),
  description: z.string().optional(),
  labels: z.string().optional(),
  remove_source_branch: z.boolean().optional(),
  squash: z.boolean().optional(),
  assignee_id: z.int().optional(),
});
const change = z.strictObject({
  title: z.string().optional(),
  description: z.string().optional(),
  labels: z.string().optional(),
  add_labels: z.string().optional(),
  remove_labels: z.string().optional(),
  state_event: z.enum(['close', 'reopen']).optional(),
  remove_source_branch: z.boolean().optional(),
  target_branch: z.string().optional(),
});
const note = z.strictObject({ body: z.string().min(1), internal: z.boolean().optional() });

const PROJECT = '/api/v4/projects/:project';
const NOT_FOUND: RouteAnswer = { status: 404, body: { message: '404 Not found' } };

/** Endpoints of version 4 of the API of GitLab that Echelon uses. */
export const GITLAB_ROUTES: readonly Route[] = [
  { on: 'GET /api/v4/user', act: ({ state }) => ok(user(state.user)) },
  {
    on: `GET ${PROJECT}`,
    act: ({ state }) => ok({ id: PROJECT_ID, path_with_namespace: state.project, default_branch: state.defaultBranch }),
  },
  {
    on: `GET ${PROJECT}/repository/branches/:branch`,
    act: ({ state, part }) => {
      const id = state.branches.get(part('branch'));
      return id === undefined
        ? { status: 404, body: { message: '404 Branch Not Found' } }
        : ok({ name: part('branch'), commit: { id, short_id: id.slice(0, 8) } });
    },
  },
  {
    on: `GET ${PROJECT}/repository/commits/:sha`,
    act: ({ state, part }) => {
      const id = shaOf(state, part('sha'));
      return id === undefined
        ? { status: 404, body: { message: '404 Commit Not Found' } }
        : ok({ id, short_id: id.slice(0, 8) });
    },
  },
  {
    on: `GET ${PROJECT}/repository/compare`,
    query: z.strictObject({
      from: z.string(),
      to: z.string(),
      straight: z.enum(['true', 'false']).optional(),
      unidiff: z.string().optional(),
    }),
    act: ({ state, query }) => compared(state, query['from'] ?? '', query['to'] ?? ''),
  },
  {
    on: `GET ${PROJECT}/merge_requests`,
    query: search,
    act: ({ state, query }) => {
      const wanted = state.requests.filter((request) => isWanted(request, query)).toReversed();
      return ok(pageOf(wanted, query, DEFAULT_PER_PAGE).map((request) => mergeRequest(state, request)));
    },
  },
  {
    on: `POST ${PROJECT}/merge_requests`,
    body: newRequest,
    act: ({ state, body }) => opened(state, newRequest.parse(body)),
  },
  {
    on: `GET ${PROJECT}/merge_requests/:number`,
    act: ({ state, part }) => withRequest(state, part('number'), (request) => ok(mergeRequest(state, request))),
  },
  {
    on: `PUT ${PROJECT}/merge_requests/:number`,
    body: change,
    act: ({ state, part, body }) =>
      withRequest(state, part('number'), (request) => changed(state, request, change.parse(body))),
  },
  {
    on: `GET ${PROJECT}/merge_requests/:number/notes`,
    query: z.strictObject({
      sort: z.enum(['asc', 'desc']).optional(),
      order_by: z.enum(['created_at', 'updated_at']).optional(),
      ...page,
    }),
    act: ({ state, part, query }) =>
      withRequest(state, part('number'), ({ comments }) => {
        const sorted = query['sort'] === 'asc' ? comments : comments.toReversed();
        return ok(pageOf(sorted, query, DEFAULT_PER_PAGE).map(noteOf));
      }),
  },
  {
    on: `POST ${PROJECT}/merge_requests/:number/notes`,
    body: note,
    act: ({ state, part, body }) =>
      withRequest(state, part('number'), (request) => {
        const text = note.parse(body).body;
        return tooLong(text, 'note') ?? { status: 201, body: noteOf(addComment(state, request, text)) };
      }),
  },
  {
    on: `PUT ${PROJECT}/merge_requests/:number/notes/:note`,
    body: note,
    act: ({ state, part, body }) =>
      withRequest(state, part('number'), (request) => {
        const found = request.comments.find(({ id }) => id === Number(part('note')));
        if (found === undefined) return NOT_FOUND;
        if (found.author !== state.user) return { status: 403, body: { message: '403 Forbidden' } };
        found.body = note.parse(body).body;
        return ok(noteOf(found));
      }),
  },
];

function ok(body: unknown): RouteAnswer {
  return { status: 200, body };
}

function withRequest(state: ForgeState, number: string, act: (request: StoredRequest) => RouteAnswer): RouteAnswer {
  const request = requestNumbered(state, number);
  return request === undefined ? NOT_FOUND : act(request);
}

/** Ids are of no meaning, but each name has its own. */
function user(username: string): unknown {
  const id = [...username].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7);
  return { id, username, name: username, state: 'active' };
}

function noteOf({ id, body, author, system = false }: StoredComment): unknown {
  return { id, body, system, author: user(author), noteable_type: 'MergeRequest', created_at: '2026-01-01T00:00:00Z' };
}

function mergeRequest(state: ForgeState, request: StoredRequest): unknown {
  return {
    id: request.number + 1000,
    iid: request.number,
    project_id: PROJECT_ID,
    web_url: `https://gitlab.example.com/${state.project}/-/merge_requests/${request.number}`,
    title: request.title,
    description: request.body === '' ? null : request.body,
    state: request.state === 'open' ? 'opened' : request.state,
    labels: request.labels,
    source_branch: request.source,
    target_branch: request.target,
    source_project_id: request.fork === true ? PROJECT_ID + 1 : PROJECT_ID,
    target_project_id: PROJECT_ID,
    author: user(state.user),
    force_remove_source_branch: request.removeSourceBranch ?? null,
  };
}

function isWanted(request: StoredRequest, query: Readonly<Record<string, string>>): boolean {
  const wanted = query['state'] ?? 'all';
  const state = request.state === 'open' ? 'opened' : request.state;
  const labels = query['labels']?.split(',') ?? [];
  return (
    (wanted === 'all' || wanted === state) &&
    (query['source_branch'] === undefined || query['source_branch'] === request.source) &&
    labels.every((label) => request.labels.includes(label))
  );
}

function tooLong(text: string, field: string, limit = MAX_BODY): RouteAnswer | undefined {
  if (text.length <= limit) return undefined;
  return { status: 400, body: { message: { [field]: [`is too long (maximum is ${limit} characters)`] } } };
}

function opened(state: ForgeState, given: z.infer<typeof newRequest>): RouteAnswer {
  const { source_branch: source, target_branch: target, title, description = '', labels = '' } = given;
  const refusal = tooLong(title, 'title', MAX_TITLE) ?? tooLong(description, 'description');
  if (refusal !== undefined) return refusal;
  if (!state.branches.has(source)) return { status: 400, body: { message: ['Source branch does not exist'] } };
  const same = state.requests.find(
    (one) => one.state === 'open' && one.fork !== true && one.source === source && one.target === target,
  );
  if (same !== undefined) {
    const message = [`Another open merge request already exists for this source branch: !${same.number}`];
    return { status: 409, body: { message } };
  }
  const request = addRequest(state, {
    ...{ source, target, title, body: description, labels: listed(labels) },
    ...defined({ removeSourceBranch: given.remove_source_branch }),
  });
  return { status: 201, body: mergeRequest(state, request) };
}

function listed(labels: string): string[] {
  return labels === '' ? [] : labels.split(',').map((label) => label.trim());
}

function changed(state: ForgeState, request: StoredRequest, given: z.infer<typeof change>): RouteAnswer {
  const refusal = tooLong(given.title ?? '', 'title', MAX_TITLE) ?? tooLong(given.description ?? '', 'description');
  if (refusal !== undefined) return refusal;
  request.title = given.title ?? request.title;
  request.body = given.description ?? request.body;
  const base = given.labels === undefined ? request.labels : listed(given.labels);
  request.labels = [...new Set([...base, ...listed(given.add_labels ?? '')])];
  if (given.state_event !== undefined) request.state = given.state_event === 'close' ? 'closed' : 'open';
  return ok(mergeRequest(state, request));
}

function compared(state: ForgeState, from: string, to: string): RouteAnswer {
  const [base, head] = [shaOf(state, from), shaOf(state, to)];
  if (base === undefined || head === undefined) return { status: 404, body: { message: '404 Ref Not Found' } };
  const commits = commitsBetween(state, base, head).map(commitOf);
  return ok({
    commit: commits.at(-1) ?? null,
    commits,
    diffs: [],
    compare_timeout: false,
    compare_same_ref: base === head,
  });
}

function commitOf({ sha, parents, message, author, date }: StoredCommit): unknown {
  return {
    id: sha,
    short_id: sha.slice(0, 8),
    parent_ids: parents,
    title: message.split('\n')[0],
    message,
    author_name: author.name,
    author_email: author.email,
    authored_date: date,
    committer_name: author.name,
    committer_email: author.email,
    committed_date: date,
    created_at: date,
  };
}
