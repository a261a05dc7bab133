import type { Json } from '../../../base/index.ts';
import { ksuidOf } from '../ids.ts';
import { parseInstant, stamp } from '../instants.ts';
import { type Cluster, SEVERITIES, type ServiceLog, type Severity } from '../model.ts';
import { SimOcmError } from '../ocm-error.ts';
import type { Field, Fields } from '../search/compile.ts';
import { SERVICE_LOGS } from './hrefs.ts';
import { type Collection, type ListQuery, listPage, matchingRows, type Page, pageOf } from './list.ts';
import { booleanIn, denied, notFound, textIn } from './refusals.ts';
import { seesAll, seesOrganization, type View, type Workshop } from './state.ts';
import type { WireLog } from './wire.ts';

const SERVICE = 'service_logs';
const DEFAULT_LOG_TYPE = 'cluster-state-updates';
/** Limit per world; the oldest are dropped. */
const MAX_LOGS = 50_000;

const FIELDS: Readonly<Record<string, Field<ServiceLog>>> = {
  id: { type: 'text', read: ({ id }) => id },
  cluster_id: { type: 'text', read: ({ clusterId }) => clusterId },
  cluster_uuid: { type: 'text', read: ({ clusterUuid }) => clusterUuid },
  subscription_id: { type: 'text', read: ({ subscriptionId }) => subscriptionId },
  service_name: { type: 'text', read: ({ serviceName }) => serviceName },
  severity: { type: 'text', read: ({ severity }) => severity },
  summary: { type: 'text', read: ({ summary }) => summary },
  description: { type: 'text', read: ({ description }) => description },
  internal_only: { type: 'boolean', read: ({ internalOnly }) => internalOnly },
  log_type: { type: 'text', read: ({ logType }) => logType },
  username: { type: 'text', read: ({ username }) => username },
  created_by: { type: 'text', read: ({ username }) => username },
  created_at: { type: 'time', read: ({ createdAt }) => createdAt },
  timestamp: { type: 'time', read: ({ timestamp }) => timestamp },
};

const fields: Fields<ServiceLog> = (name) => FIELDS[name];

const LOGS: Collection<ServiceLog, 'uuid'> = {
  service: SERVICE,
  kind: 'ClusterLog',
  table: ({ state }) => state.logs,
  fields: () => fields,
  indexed: { cluster_uuid: { index: 'uuid', key: (uuid) => uuid } },
  visible: ({ organizationId }, { caller }) => seesOrganization(caller, organizationId),
};

/** All logs, private ones too: for services only. */
export function listLogs(view: View, query: ListQuery): Page<WireLog> {
  if (!seesAll(view.caller))
    throw denied(SERVICE, view.caller, 'get', 'PrivateClusterLog', `GET ${SERVICE_LOGS}/cluster_logs`);
  return listPage(LOGS, view, query, wireLog);
}

export interface LogScope {
  readonly clusterId?: string;
  readonly clusterUuid?: string;
}

/** The logs of a cluster that are visible to its owners. */
export function listClusterLogs(view: View, scope: LogScope, query: ListQuery): Page<WireLog> {
  const { clusterId, clusterUuid } = scope;
  if (clusterId === undefined && clusterUuid === undefined)
    throw new SimOcmError(SERVICE, 'bad-request', 'cluster_id or cluster_uuid is required');
  const uuid = clusterUuid ?? view.state.clusters.get(clusterId ?? '')?.externalId ?? '';
  const own = view.state.logs
    .by('uuid', uuid)
    .filter((log) => !log.internalOnly && seesOrganization(view.caller, log.organizationId))
    .filter((log) => clusterId === undefined || log.clusterId === clusterId);
  return pageOf(LOGS, view, query, matchingRows(SERVICE, own, fields, query), wireLog);
}

export function getLog(view: View, id: string): WireLog {
  return wireLog(requireLog(view, id));
}

export function deleteLog(shop: Workshop, id: string): void {
  const log = requireLog(shop, id);
  if (!seesAll(shop.caller))
    throw denied(SERVICE, shop.caller, 'delete', 'ClusterLog', `DELETE ${SERVICE_LOGS}/cluster_logs/${id}`);
  shop.state.logs.remove(log.id, shop.now);
}

export function createLog(shop: Workshop, body: Json): WireLog {
  const cluster = clusterIn(shop, body);
  if (shop.caller.role === 'viewer')
    throw denied(SERVICE, shop.caller, 'create', 'ClusterLog', `POST ${SERVICE_LOGS}/cluster_logs`);
  const log = addLog(shop, cluster, {
    serviceName: required(body, 'service_name'),
    severity: severityIn(body),
    summary: required(body, 'summary'),
    description: textIn(SERVICE, body, 'description') ?? '',
    logType: textIn(SERVICE, body, 'log_type') ?? DEFAULT_LOG_TYPE,
    internalOnly: booleanIn(SERVICE, body, 'internal_only') ?? false,
    username: shop.caller.username,
    docReferences: referencesIn(body),
    timestamp: timestampIn(body) ?? shop.now,
  });
  return wireLog(log);
}

type Written = Pick<
  ServiceLog,
  | 'serviceName'
  | 'severity'
  | 'summary'
  | 'description'
  | 'logType'
  | 'internalOnly'
  | 'username'
  | 'docReferences'
  | 'timestamp'
>;

/** Adds an entry about a cluster without checking permissions. */
function addLog(shop: Workshop, cluster: Cluster, written: Written): ServiceLog {
  const log = {
    id: ksuidOf(shop.freshKey('log'), shop.now),
    clusterId: cluster.id,
    clusterUuid: cluster.externalId,
    subscriptionId: cluster.subscriptionId,
    organizationId: cluster.organizationId,
    createdAt: shop.now,
    ...written,
  };
  const { logs } = shop.state;
  logs.put(log, shop.now);
  const [oldest] = logs.size > MAX_LOGS ? logs.all() : [];
  if (oldest !== undefined) logs.remove(oldest.id, shop.now);
  return log;
}

/** The reports of the operator inside a cluster during an upgrade. */
export function reportUpgrade(
  shop: Workshop,
  cluster: Cluster,
  severity: Severity,
  summary: string,
  description: string,
): void {
  addLog(shop, cluster, {
    serviceName: 'RedHat Managed Upgrade Notifications',
    severity,
    summary,
    description,
    logType: 'Cluster Updates',
    internalOnly: false,
    username: 'managed-upgrade-operator',
    docReferences: [],
    timestamp: shop.now,
  });
}

function wireLog(log: ServiceLog): WireLog {
  return {
    kind: 'ClusterLog',
    id: log.id,
    href: `${SERVICE_LOGS}/cluster_logs/${log.id}`,
    event_stream_id: log.id,
    cluster_id: log.clusterId,
    cluster_uuid: log.clusterUuid,
    subscription_id: log.subscriptionId,
    service_name: log.serviceName,
    severity: log.severity,
    summary: log.summary,
    description: log.description,
    log_type: log.logType,
    internal_only: log.internalOnly,
    username: log.username,
    created_by: log.username,
    doc_references: log.docReferences,
    created_at: stamp(log.createdAt),
    timestamp: stamp(log.timestamp),
  };
}

function requireLog(view: View, id: string): ServiceLog {
  const log = view.state.logs.get(id);
  const hidden = log?.internalOnly === true && !seesAll(view.caller);
  if (log !== undefined && !hidden && seesOrganization(view.caller, log.organizationId)) return log;
  throw notFound(SERVICE, `ClusterLog with id='${id}' not found`);
}

function clusterIn(shop: Workshop, body: Json): Cluster {
  const [id, uuid] = [textIn(SERVICE, body, 'cluster_id'), textIn(SERVICE, body, 'cluster_uuid')];
  if (id === undefined && uuid === undefined)
    throw new SimOcmError(SERVICE, 'validation', 'cluster_id or cluster_uuid is required');
  const cluster = uuid === undefined ? shop.state.clusters.get(id ?? '') : shop.state.clusters.by('uuid', uuid)[0];
  if (cluster === undefined || !seesOrganization(shop.caller, cluster.organizationId))
    throw new SimOcmError(SERVICE, 'validation', `no cluster '${uuid ?? id}'`);
  return cluster;
}

function severityIn(body: Json): Severity {
  const text = required(body, 'severity');
  const severity = SEVERITIES.find((known) => known === text);
  if (severity === undefined) throw new SimOcmError(SERVICE, 'validation', `severity '${text}' is not valid`);
  return severity;
}

function timestampIn(body: Json): number | undefined {
  const text = textIn(SERVICE, body, 'timestamp');
  if (text === undefined) return undefined;
  const at = parseInstant(text);
  if (at === undefined) throw new SimOcmError(SERVICE, 'validation', `timestamp '${text}' is not valid`);
  return at;
}

function referencesIn(body: Json): string[] {
  const value = body['doc_references'];
  return Array.isArray(value) ? value.map(String) : [];
}

function required(body: Json, key: string): string {
  const text = textIn(SERVICE, body, key);
  if (text === undefined || text === '') throw new SimOcmError(SERVICE, 'validation', `${key} is required`);
  return text;
}
