import { mapLimited, sha256Of } from '../../base/index.ts';
import { type Instant, instantOf, instantText, later, MICROS } from '../../gates/index.ts';
import type { ClusterKey, PolicyProblem } from '../policies/org-spec.ts';
import type { OrganizationMemory } from './memory.ts';
import { about, type Fault, faultOf, isGone, type UpgradeApi } from './ports.ts';

/** One notice for the users of one cluster. */
export interface Notice {
  readonly cluster: ClusterKey;
  readonly summary: string;
  /** The label and what is wrong with it. */
  readonly reason: string;
  readonly description: string;
  /** Equal for equal notices; also the last line of the description. */
  readonly hash: string;
}

/** Titles that users' dashboards and filters rely on. */
const CLUSTER_SUMMARY = 'Cluster upgrade policy validation errors';
const ORGANIZATION_SUMMARY = 'AUS configuration error on organization';
/** The rest is sent once these are fixed. */
const MOST_PER_CLUSTER = 10;
const MOST_PER_ORGANIZATION = 500;
const LONGEST_TEXT = 1_000;
const NOT_AGAIN_WITHIN = MICROS.day;
const CLUSTERS_AT_ONCE = 4;

/**
 * What users have to fix: a cluster's problem is reported on that cluster, an organization's on each of its clusters.
 * Only errors, and only those in their configuration.
 */
export function noticesOf(problems: readonly PolicyProblem[], clusters: readonly ClusterKey[]): Notice[] {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const common = errors.filter(({ scope }) => scope.kind === 'organization');
  const own = Map.groupBy(
    errors.filter(({ scope }) => scope.kind === 'cluster'),
    ({ scope }) => (scope.kind === 'cluster' ? scope.cluster.id : ''),
  );
  return clusters
    .flatMap((cluster) => {
      const notices = [...(own.get(cluster.id) ?? []), ...common].map((problem) => noticeOf(problem, cluster));
      return [...new Map(notices.map((notice) => [notice.hash, notice])).values()].slice(0, MOST_PER_CLUSTER);
    })
    .slice(0, MOST_PER_ORGANIZATION);
}

function noticeOf({ scope, key, message, hint }: PolicyProblem, cluster: ClusterKey): Notice {
  const isCommon = scope.kind === 'organization';
  const summary = isCommon ? ORGANIZATION_SUMMARY : CLUSTER_SUMMARY;
  const hash = sha256Of(JSON.stringify([summary, key, message])).slice(0, 16);
  const whose = isCommon ? 'organization' : 'cluster';
  const reason = `the label ${short(key)} of this ${whose} is invalid: ${short(message)}`;
  const description = [
    `T${reason.slice(1)}`,
    `To fix it: ${short(hint)}`,
    isCommon
      ? 'No cluster of the organization is upgraded until this is fixed.'
      : 'This cluster is not upgraded until this is fixed; it still counts in its sector and mutexes.',
    hash,
  ].join('\n');
  return { cluster, summary, reason, description, hash };
}

function short(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text;
}

interface ReadParts {
  /** With the credentials of the site. */
  readonly api: UpgradeApi;
  readonly memory: Pick<OrganizationMemory, 'notified'>;
  readonly serviceName: string;
  readonly now: () => Instant;
}

interface Unsent {
  readonly unsent: readonly Notice[];
  readonly faults: readonly Fault[];
}

/** The notices that were not sent within a day. What was sent is read once per cluster and remembered. Never throws. */
export async function unsentNotices(notices: readonly Notice[], parts: ReadParts): Promise<Unsent> {
  const faults: Fault[] = [];
  const byCluster = [...Map.groupBy(notices, ({ cluster }) => cluster.uuid).values()];
  const unsent = await mapLimited(byCluster, CLUSTERS_AT_ONCE, async (own) => {
    try {
      return await unsentOf(own, parts);
    } catch (thrown) {
      if (isGone(thrown)) return [];
      faults.push(about(`cannot read the service logs of cluster ${own[0]?.cluster.name}`, faultOf(thrown)));
      return [];
    }
  });
  return { unsent: unsent.flat(), faults };
}

async function unsentOf(notices: readonly Notice[], parts: ReadParts): Promise<Notice[]> {
  const { api, memory, serviceName, now } = parts;
  const uuid = notices[0]?.cluster.uuid ?? '';
  const since = later(now(), -NOT_AGAIN_WITHIN);
  const fresh = (notified: ReadonlyMap<string, Instant> | undefined): Notice[] =>
    notices.filter(({ hash }) => (notified?.get(hash) ?? Number.NEGATIVE_INFINITY) < since);
  if (fresh(memory.notified.get(uuid)).length === 0) return [];
  const notified = await notifiedSince(api, uuid, serviceName, since);
  memory.notified.set(uuid, notified);
  return fresh(notified);
}

interface SendParts extends ReadParts {
  readonly mayWrite: () => boolean;
  readonly signal: AbortSignal;
}

interface Sent {
  readonly sent: readonly Notice[];
  readonly faults: readonly Fault[];
}

/** Sends the planned notices. Never throws. */
export async function sendNotices(planned: readonly Notice[], parts: SendParts): Promise<Sent> {
  const sent: Notice[] = [];
  const faults: Fault[] = [];
  const byCluster = [...Map.groupBy(planned, ({ cluster }) => cluster.uuid).values()];
  await mapLimited(byCluster, CLUSTERS_AT_ONCE, async (own) => {
    try {
      for (const notice of own) if (await send(notice, parts)) sent.push(notice);
    } catch (thrown) {
      if (isGone(thrown)) return;
      faults.push(about(`cannot notify the users of cluster ${own[0]?.cluster.name}`, faultOf(thrown)));
    }
  });
  return { sent, faults };
}

async function send({ cluster, summary, description, hash }: Notice, parts: SendParts): Promise<boolean> {
  const { api, memory, serviceName, now, mayWrite, signal } = parts;
  if (signal.aborted || !mayWrite()) return false;
  const clusterUuid = cluster.uuid;
  await api.createServiceLog({ clusterUuid, serviceName, severity: 'Moderate', summary, description });
  const notified = memory.notified.get(clusterUuid) ?? new Map<string, Instant>();
  memory.notified.set(clusterUuid, notified.set(hash, now()));
  return true;
}

async function notifiedSince(
  api: UpgradeApi,
  uuid: string,
  serviceName: string,
  since: Instant,
): Promise<Map<string, Instant>> {
  const { items } = await api.listServiceLogs(uuid, serviceName, instantText(since));
  const notified = new Map<string, Instant>();
  for (const { description = '', createdAt } of items) {
    const at = createdAt === undefined ? Number.NaN : Date.parse(createdAt);
    const hash = description.trimEnd().split('\n').at(-1) ?? '';
    if (!Number.isNaN(at)) notified.set(hash, Math.max(instantOf(at), notified.get(hash) ?? 0) as Instant);
  }
  return notified;
}
