import { defined, EchelonError, type StateLocation } from '../../../base/index.ts';
import { systemHttpClock, type WritePermit } from '../../../clients/http/index.ts';
import { createOcmClient, type OcmCall, type OcmClient, type PolicyTarget } from '../../../clients/ocm/index.ts';
import { type PrometheusOptions, prometheusQuery } from '../../../clients/prometheus.ts';
import { openSecrets, secretField } from '../../../clients/secrets/index.ts';
import { openStore } from '../../../clients/state/index.ts';
import type {
  HealthProvider,
  InstancePort,
  UpgradeApi,
  UpgradesPorts,
  UpgradeTarget,
} from '../../../upgrades/index.ts';
import type { FlagsOf } from '../../command.ts';
import type { Context } from '../../context.ts';
import { instanceSource, readConfig, readFile } from '../../instance.ts';
import { version } from '../../io.ts';
import type { POLICIES, SOURCES } from '../../options.ts';
import { clockOf, requireSimulated } from './simulated-clock.ts';

/** Common flags of the scheduler commands. A health query wins over that of the instance or the configuration file. */
export type SourceFlags = FlagsOf<typeof SOURCES> & Partial<FlagsOf<typeof POLICIES>>;

interface PortOptions {
  /** Refuses every write in the transport. */
  readonly readOnly: boolean;
  /** Every attempt of every write needs it; all are permitted when absent. */
  readonly permit?: () => WritePermit | undefined;
  readonly onCall?: (environment: string, clientId: string, call: OcmCall) => void;
}

/** The ports of the upgrades job, built from the clients of a command. */
export function upgradesPorts(ctx: Context, flags: SourceFlags, options: PortOptions): UpgradesPorts {
  const { env, cwd, signal, onSecret, clock } = ctx;
  const { readOnly, permit, onCall } = options;
  const { simulated } = clockOf(env);
  const ocmClock = simulated || clock.sleep !== undefined ? { ...systemHttpClock, ...clock } : undefined;
  return {
    ...{ env, cwd, signal, clock, readFile, openStore: (place: StateLocation) => openStore(ctx, place) },
    ...defined({ onSecret }),
    instance: () => instancePort(ctx, flags),
    openOcm: ({ environment, url, tokenUrl, clientId }, credentials, onToken) => {
      if (simulated) requireSimulated(url);
      return ocmUpgradeApi(
        createOcmClient({
          ...{ url, credentials, readOnly, env, signal, userAgent: `echelon/${version()}` },
          ...defined({ tokenUrl, permit, concurrency: flags.concurrency, clock: ocmClock }),
          onCall: (call) => {
            // An access token is not renewed by a token server: a refused one may have a successor in its file.
            const isRefused = credentials.kind === 'access-token' && call.status === 401;
            if (call.collection === 'token' || isRefused) onToken(call.status);
            onCall?.(environment, clientId, call);
          },
        }),
      );
    },
    openTelemetry: (access) => telemetry({ ...access, env, signal, ...defined({ query: flags.healthQuery }) }),
  };
}

async function instancePort(ctx: Context, flags: SourceFlags): Promise<InstancePort> {
  const source = await instanceSource(ctx, flags);
  const config = await readConfig(ctx, flags.config);
  return {
    source,
    secrets: ({ settings }) => {
      const reader = openSecrets({
        env: ctx.env,
        config: config.all ?? {},
        signal: ctx.signal,
        ...defined({ folder: flags.secretsDir, settingsVault: settings?.vault, onSecret: ctx.onSecret }),
      });
      return (secret) => secretField(reader, secret);
    },
  };
}

const PRODUCTS = ['osd', 'rosa'];
const STATUSES = ['Active', 'Reserved'];

/** The scheduler's view of an OCM, through the client. */
export function ocmUpgradeApi(client: OcmClient): UpgradeApi {
  return {
    listLabels: (keyPrefix) => client.listLabels({ keyPrefix }),
    listSubscriptions: (ids) =>
      client.listOwners({ by: { field: 'id', values: ids }, managed: true, statuses: STATUSES }),
    listOrganizationSubscriptions: (ids) =>
      client.listOwners({ by: { field: 'organization_id', values: ids }, managed: true, statuses: STATUSES }),
    listClusters: (subscriptionIds) =>
      client.listClusters({
        by: { field: 'subscription.id', values: subscriptionIds },
        managed: true,
        productIds: PRODUCTS,
      }),
    organizationNames: async (ids) => {
      const { items } = await client.listOrganizations({ by: { field: 'id', values: ids } });
      return new Map(items.flatMap(({ id, name }) => (name === undefined ? [] : [[id, name]])));
    },
    listVersionGates: () => client.listVersionGates(),
    listNodePools: (clusterId) => client.listNodePools(clusterId),
    listPolicies: (target) => client.listUpgradePolicies(targetOf(target)),
    listAgreements: async (clusterId) => {
      const { items, problems } = await client.listGateAgreements(clusterId);
      return { items: items.map(({ gateId }) => gateId), problems };
    },
    agreeToGate: async (clusterId, gateId) => {
      const creation = await client.createGateAgreement(clusterId, gateId);
      if (creation.outcome === 'created') return { outcome: 'agreed' };
      return creation.outcome === 'unconfirmed' ? creation : { outcome: 'refused', reason: creation.refusal.reason };
    },
    availableChannels: async (clusterId) => (await client.getCluster(clusterId))?.version.availableChannels ?? [],
    createPolicy: async (target, policy) => {
      const creation = await client.createUpgradePolicy(targetOf(target), policy);
      if (creation.outcome === 'created') return { outcome: 'created', id: creation.record.id };
      if (creation.outcome === 'unconfirmed') return creation;
      const { status, reason, missingGates } = creation.refusal;
      if (status === 404) throw gone(target.clusterId, reason);
      return { outcome: 'refused', reason, missingGates };
    },
    deletePolicy: async (target, id) => {
      const deletion = await client.deleteUpgradePolicy(targetOf(target), id);
      return deletion.outcome === 'refused' ? { outcome: 'refused', reason: deletion.refusal.reason } : deletion;
    },
    switchChannel: (clusterId, channel) => client.switchChannel(clusterId, channel),
    listServiceLogs: (clusterUuid, serviceName, since) => client.listServiceLogs({ clusterUuid, serviceName, since }),
    createServiceLog: async (log) => {
      const creation = await client.createServiceLog(log);
      if (creation.outcome === 'refused') throw notTaken(log.clusterUuid, creation.refusal.reason);
    },
  };
}

function targetOf({ kind, clusterId, nodePool }: UpgradeTarget): PolicyTarget {
  if (kind === 'cluster') return { kind: 'classic', clusterId };
  if (kind === 'control_plane') return { kind: 'control-plane', clusterId };
  return { kind: 'node-pool', clusterId, nodePoolId: nodePool ?? '' };
}

function gone(clusterId: string, reason: string): EchelonError {
  return new EchelonError({
    code: 'OCM_NOT_FOUND',
    message: `OCM does not have cluster ${clusterId}: ${reason}`,
    hint: 'check the id; the cluster may have been deleted',
  });
}

function notTaken(uuid: string, reason: string): EchelonError {
  return new EchelonError({
    code: 'SERVICE_LOG_REFUSED',
    message: `OCM refused a service log for cluster ${uuid}: ${reason}`,
    hint: 'check that these credentials may write service logs',
  });
}

interface TelemetryOptions extends PrometheusOptions {
  /** `{organization}` is replaced by the organization's OCM id. Samples have the UUID of the cluster as `_id`. */
  readonly query?: string;
}

/**
 * Telemeter names the OCM id of the organization `organization`; `external_organization` and `ebs_account` are other ids. Only
 * presence counts in `ocm_subscription`: its value may be 0, and a cluster may have several of its series.
 */
const QUERY =
  'count by (_id) (alerts{alertstate="firing",severity="critical"} and on (_id) ocm_subscription{organization="{organization}"})';

/** Clusters with a critical alert, according to a Prometheus with data of all clusters. */
function telemetry({ query = QUERY, ...options }: TelemetryOptions): HealthProvider {
  const ask = prometheusQuery(options);
  return {
    unhealthy: async ({ orgId }) => {
      const samples = await ask(query.replaceAll('{organization}', () => quoted(orgId)));
      return new Map(
        samples
          .filter(({ value }) => value > 0)
          .map(({ metric, value }) => [clusterOf(metric), `critical alerts are firing: ${value}`]),
      );
    },
  };
}

/** As the text of a string in PromQL. */
function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function clusterOf({ _id: id }: Readonly<Record<string, string>>): string {
  if (id !== undefined) return id;
  throw new EchelonError({
    code: 'TELEMETRY_FAILED',
    message: 'the telemetry query returns a sample without the label _id',
    hint: 'use a query whose samples have the cluster UUID as _id',
  });
}
