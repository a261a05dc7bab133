import type { OwnerType, PolicyKind, PolicyTarget } from '../model.ts';
import type { Service } from '../ocm-error.ts';
import type { OcmCalls, OcmReads } from '../world/calls.ts';
import { ACCOUNTS, CLUSTERS, SERVICE_LOGS } from '../world/hrefs.ts';
import { errorCatalogue, oneError } from './error-catalogue.ts';
import { fetchOf, isDryRun, listQuery, param, type Request } from './request.ts';

interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

/** A read; it also works on earlier states. */
interface ReadRoute {
  readonly method: 'GET';
  readonly path: string;
  readonly answer: (reads: OcmReads, request: Request) => unknown;
}

interface WriteRoute {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly answer: (calls: OcmCalls, request: Request) => Answer;
}

export type Route = ReadRoute | WriteRoute;

const ok = (body: unknown): Answer => ({ status: 200, body });
const created = (body: unknown): Answer => ({ status: 201, body });
const done: Answer = { status: 204 };

export const ROUTES: readonly Route[] = [
  ...accountRoutes(),
  ...labelRoutes('organizations', 'Organization'),
  ...labelRoutes('subscriptions', 'Subscription'),
  ...clusterRoutes(),
  ...policyRoutes('', 'cluster'),
  ...policyRoutes('/control_plane', 'control_plane'),
  ...policyRoutes('/node_pools/:pool', 'node_pool'),
  ...stateRoutes(),
  ...gateRoutes(),
  ...logRoutes(),
  ...[ACCOUNTS, CLUSTERS, SERVICE_LOGS].flatMap(errorRoutes),
];

function accountRoutes(): Route[] {
  return [
    get(`${ACCOUNTS}/current_account`, (reads) => reads.currentAccount()),
    get(`${ACCOUNTS}/capabilities`, (reads, request) => reads.listCapabilities(listQuery(request))),
    get(`${ACCOUNTS}/labels`, (reads, request) => reads.listLabels(listQuery(request))),
    get(`${ACCOUNTS}/organizations`, (reads, request) =>
      reads.listOrganizations({ ...listQuery(request), ...fetchOf(request) }),
    ),
    get(`${ACCOUNTS}/organizations/:id`, (reads, request) =>
      reads.getOrganization(param(request, 'id'), fetchOf(request)),
    ),
    get(`${ACCOUNTS}/subscriptions`, (reads, request) => {
      const labels = request.query.get('labels');
      return reads.listSubscriptions({
        ...listQuery(request),
        ...fetchOf(request),
        ...(labels === null ? {} : { labels }),
      });
    }),
    get(`${ACCOUNTS}/subscriptions/:id`, (reads, request) =>
      reads.getSubscription(param(request, 'id'), fetchOf(request)),
    ),
    patch(`${ACCOUNTS}/subscriptions/:id`, (calls, request) =>
      ok(calls.patchSubscription(param(request, 'id'), request.body)),
    ),
  ];
}

function labelRoutes(collection: string, type: OwnerType): Route[] {
  const path = `${ACCOUNTS}/${collection}/:id/labels`;
  const owner = (request: Request) => ({ type, id: param(request, 'id') });
  return [
    get(path, (reads, request) => reads.listOwnerLabels(owner(request), listQuery(request))),
    post(path, (calls, request) => {
      const put = calls.postLabel(owner(request), request.body);
      return { status: put.created ? 201 : 200, body: put.label };
    }),
    get(`${path}/:key`, (reads, request) => reads.getLabel(owner(request), param(request, 'key'))),
    patch(`${path}/:key`, (calls, request) =>
      ok(calls.patchLabel(owner(request), param(request, 'key'), request.body).label),
    ),
    remove(`${path}/:key`, (calls, request) => calls.deleteLabel(owner(request), param(request, 'key'))),
  ];
}

function clusterRoutes(): Route[] {
  const path = `${CLUSTERS}/clusters`;
  return [
    get(path, (reads, request) => reads.listClusters(listQuery(request))),
    get(`${path}/:id`, (reads, request) => reads.getCluster(param(request, 'id'))),
    patch(`${path}/:id`, (calls, request) => {
      const cluster = calls.patchCluster(param(request, 'id'), request.body, isDryRun(request));
      return cluster === undefined ? done : ok(cluster);
    }),
    get(`${path}/:id/node_pools`, (reads, request) => reads.listNodePools(param(request, 'id'), listQuery(request))),
    get(`${path}/:id/node_pools/:pool`, (reads, request) =>
      reads.getNodePool(param(request, 'id'), param(request, 'pool')),
    ),
    get(`${CLUSTERS}/versions`, (reads, request) => reads.listVersions(listQuery(request))),
    get(`${CLUSTERS}/versions/:id`, (reads, request) => reads.getVersion(param(request, 'id'))),
  ];
}

function policyRoutes(below: string, kind: PolicyKind): Route[] {
  const path = `${CLUSTERS}/clusters/:id${below}/upgrade_policies`;
  const target = targetOf(kind);
  return [
    get(path, (reads, request) => reads.listPolicies(target(request), listQuery(request))),
    post(path, (calls, request) => {
      const policy = calls.createPolicy(target(request), request.body, isDryRun(request));
      return policy === undefined ? done : created(policy);
    }),
    get(`${path}/:policy`, (reads, request) => reads.getPolicy(target(request), param(request, 'policy'))),
    patch(`${path}/:policy`, (calls, request) =>
      ok(calls.patchPolicy(target(request), param(request, 'policy'), request.body)),
    ),
    remove(`${path}/:policy`, (calls, request) => calls.deletePolicy(target(request), param(request, 'policy'))),
  ];
}

/** Hosted control planes and node pools have no such resource. */
function stateRoutes(): Route[] {
  const path = `${CLUSTERS}/clusters/:id/upgrade_policies/:policy/state`;
  const target = targetOf('cluster');
  return [
    get(path, (reads, request) => reads.getPolicyState(target(request), param(request, 'policy'))),
    patch(path, (calls, request) =>
      ok(calls.patchPolicyState(target(request), param(request, 'policy'), request.body)),
    ),
  ];
}

function targetOf(kind: PolicyKind): (request: Request) => PolicyTarget {
  return (request) => {
    const clusterId = param(request, 'id');
    return kind === 'node_pool' ? { kind, clusterId, nodePool: param(request, 'pool') } : { kind, clusterId };
  };
}

function gateRoutes(): Route[] {
  const path = `${CLUSTERS}/clusters/:id/gate_agreements`;
  return [
    get(`${CLUSTERS}/version_gates`, (reads, request) => reads.listGates(listQuery(request))),
    get(`${CLUSTERS}/version_gates/:id`, (reads, request) => reads.getGate(param(request, 'id'))),
    get(path, (reads, request) => withoutEmptyItems(reads.listAgreements(param(request, 'id'), listQuery(request)))),
    post(path, (calls, request) => created(calls.createAgreement(param(request, 'id'), request.body))),
    get(`${path}/:agreement`, (reads, request) =>
      reads.getAgreement(param(request, 'id'), param(request, 'agreement')),
    ),
    remove(`${path}/:agreement`, (calls, request) =>
      calls.deleteAgreement(param(request, 'id'), param(request, 'agreement')),
    ),
  ];
}

/** This collection omits an empty `items`. */
function withoutEmptyItems<T extends { readonly items: readonly unknown[] }>(page: T): T | Omit<T, 'items'> {
  if (page.items.length > 0) return page;
  const { items: _, ...rest } = page;
  return rest;
}

function logRoutes(): Route[] {
  return [
    get(`${SERVICE_LOGS}/cluster_logs`, (reads, request) => reads.listLogs(listQuery(request))),
    post(`${SERVICE_LOGS}/cluster_logs`, (calls, request) => created(calls.createLog(request.body))),
    get(`${SERVICE_LOGS}/cluster_logs/:id`, (reads, request) => reads.getLog(param(request, 'id'))),
    remove(`${SERVICE_LOGS}/cluster_logs/:id`, (calls, request) => calls.deleteLog(param(request, 'id'))),
    get(`${SERVICE_LOGS}/clusters/cluster_logs`, (reads, request) => {
      const [id, uuid] = [request.query.get('cluster_id'), request.query.get('cluster_uuid')];
      const scope = { ...(id === null ? {} : { clusterId: id }), ...(uuid === null ? {} : { clusterUuid: uuid }) };
      return reads.listClusterLogs(scope, listQuery(request));
    }),
    get(`${SERVICE_LOGS}/clusters/:uuid/cluster_logs`, (reads, request) =>
      reads.listClusterLogs({ clusterUuid: param(request, 'uuid') }, listQuery(request)),
    ),
  ];
}

function errorRoutes(base: string): Route[] {
  const service = base.split('/')[2] as Service;
  return [
    get(`${base}/errors`, () => errorCatalogue(service)),
    get(`${base}/errors/:id`, (_, request) => oneError(service, param(request, 'id'))),
  ];
}

function get(path: string, answer: ReadRoute['answer']): ReadRoute {
  return { method: 'GET', path, answer };
}

function post(path: string, answer: WriteRoute['answer']): WriteRoute {
  return { method: 'POST', path, answer };
}

function patch(path: string, answer: WriteRoute['answer']): WriteRoute {
  return { method: 'PATCH', path, answer };
}

function remove(path: string, act: (calls: OcmCalls, request: Request) => void): WriteRoute {
  return {
    method: 'DELETE',
    path,
    answer: (calls, request) => {
      act(calls, request);
      return done;
    },
  };
}
