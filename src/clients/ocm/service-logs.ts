import * as z from 'zod';
import { type Creation, createOnce } from './create-once.ts';
import {
  atLeast,
  type Collection,
  equal,
  listRecords,
  type OcmList,
  type RecordKind,
  readRecord,
  required,
  searches,
  text,
  time,
} from './listing.ts';
import { SERVICE_LOGS, type Transport } from './transport.ts';

type ServiceLogSeverity =
  | 'Debug'
  | 'Info'
  | 'Low'
  | 'Warning'
  | 'Moderate'
  | 'Important'
  | 'Major'
  | 'Error'
  | 'Critical'
  | 'Fatal';

interface ServiceLogInput {
  /** The external id of the cluster. */
  readonly clusterUuid: string;
  readonly serviceName: string;
  readonly severity: ServiceLogSeverity;
  readonly summary: string;
  readonly description: string;
}

interface ServiceLogRecord {
  readonly id: string;
  readonly description: string | undefined;
  readonly createdAt: string | undefined;
}

interface ServiceLogQuery {
  readonly clusterUuid: string;
  /** RFC 3339. */
  readonly since?: string;
  readonly serviceName?: string;
  readonly severity?: ServiceLogSeverity;
  readonly summary?: string;
  /** The whole text; compared here, as it may be longer than a search. */
  readonly description?: string;
}

export interface ServiceLogApi {
  /** What the users of a cluster can see; private logs are left out. */
  listServiceLogs(query: ServiceLogQuery): Promise<OcmList<ServiceLogRecord>>;
  createServiceLog(log: ServiceLogInput): Promise<Creation<ServiceLogRecord>>;
}

/** A log that was sent is searched among those of this time: clocks differ. */
const READ_BACK_MS = 60 * 60 * 1000;

const LOG: RecordKind<ServiceLogRecord> = {
  known: ['summary', 'service_name', 'cluster_uuid'],
  shape: z
    .object({
      ...{ id: required, description: text, created_at: time, timestamp: time },
    })
    .transform((row) => ({
      ...{ id: row.id, description: row.description, createdAt: row.created_at ?? row.timestamp },
    })),
};

export function serviceLogApi(transport: Transport): ServiceLogApi {
  const list: ServiceLogApi['listServiceLogs'] = async (query) => {
    const { items, problems } = await listRecords(transport, logsOf(query.clusterUuid), searches(termsOf(query)));
    const { description } = query;
    return { items: items.filter((log) => description === undefined || log.description === description), problems };
  };
  return {
    listServiceLogs: list,
    createServiceLog: (log) => {
      const path = `${SERVICE_LOGS}/cluster_logs`;
      const request = { method: 'POST', path, collection: 'cluster_logs', repeat: 'not-processed' } as const;
      return createOnce(
        transport,
        async () => readRecord(transport.nameOf(request), LOG, await transport.send({ ...request, json: bodyOf(log) })),
        async () => {
          const since = new Date(transport.clock.now().getTime() - READ_BACK_MS).toISOString();
          return (await list({ ...log, since })).items[0];
        },
      );
    },
  };
}

function logsOf(cluster_uuid: string): Collection<ServiceLogRecord> {
  const path = `${SERVICE_LOGS}/clusters/cluster_logs`;
  return { ...LOG, path, name: 'cluster_logs', orderBy: 'orderBy', query: { cluster_uuid } };
}

function termsOf({ since, serviceName, severity, summary }: ServiceLogQuery): string[] {
  return [
    ...(since === undefined ? [] : [atLeast('created_at', since)]),
    ...(serviceName === undefined ? [] : [equal('service_name', serviceName)]),
    ...(severity === undefined ? [] : [equal('severity', severity)]),
    ...(summary === undefined ? [] : [equal('summary', summary)]),
  ];
}

function bodyOf({ clusterUuid, serviceName, severity, summary, description }: ServiceLogInput) {
  return { cluster_uuid: clusterUuid, service_name: serviceName, severity, summary, description };
}
