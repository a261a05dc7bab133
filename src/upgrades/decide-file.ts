import * as z from 'zod';
import { defined, EchelonError } from '../base/index.ts';
import { secondText } from '../gates/index.ts';
import type { Explanation, PlanItem } from './engine/choose.ts';
import { type Planned, planUpgrades } from './engine/decide.ts';
import type { HeldCluster, OrgFacts, ScheduledUpgrade, ServedCluster } from './engine/facts.ts';
import type { Rules } from './engine/rules.ts';
import type { ClusterId, ClusterUuid, SectorSpec, UpgradePolicy } from './policies/org-spec.ts';
import { sectorFaults } from './policies/sectors.ts';
import { instantShape, ledgerOf, stateShape, versionShape } from './scheduler/state.ts';

interface DecideFileOptions {
  readonly rules: Rules;
  /** The input in error messages, such as its file name. */
  readonly name: string;
  /** Also every verdict on every candidate. */
  readonly explain?: boolean;
}

/** Decides from a document. Errors name the place in it. */
export function decideFile(document: unknown, { rules, name, explain = false }: DecideFileOptions): DecisionJson {
  const parsed = factsShape.safeParse(document);
  if (!parsed.success) throw badInput(name, parsed.error.issues);
  const input = parsed.data;
  const facts = factsFromJson(input);
  const fault = structureFault(facts);
  if (fault !== undefined) return { error: fault };
  const names = new Map<string, string>(input.clusters.map(({ id, name: called }) => [id, called]));
  return decisionJson(names, planUpgrades(facts, facts.ledger, input.now, rules), explain);
}

const MOST_SHOWN = 3;

function badInput(name: string, issues: readonly z.core.$ZodIssue[]): EchelonError {
  const shown = issues.slice(0, MOST_SHOWN).map(({ path, message }) => `${placeOf(path)}: ${lowerFirst(message)}`);
  const more = issues.length > MOST_SHOWN ? `; and ${issues.length - MOST_SHOWN} more` : '';
  return new EchelonError({
    code: 'FACTS_INVALID',
    message: `${name} is not a valid decision input: ${shown.join('; ')}${more}`,
    hint: 'write one organization with now, org_blocked_versions, sectors, clusters, existing_policies, version_data, version_gates and agreements',
  });
}

function placeOf(path: readonly PropertyKey[]): string {
  let place = '';
  for (const key of path) place += typeof key === 'number' ? `[${key}]` : `${place === '' ? '' : '.'}${String(key)}`;
  return place === '' ? 'the document' : place;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** What policy readers would have found: a cycle of sectors, or a sector that is not declared. */
function structureFault({ sectors, clusters }: OrgFacts): string | undefined {
  const declared = new Set(sectors.map(({ name }) => name));
  const stray = clusters.find(({ policy: { sector } }) => sector !== undefined && !declared.has(sector));
  if (stray !== undefined) return `cluster ${stray.name} is in sector ${stray.policy.sector}, which is not declared`;
  return sectorFaults(sectors)[0]?.message;
}

/** A decision, in the shape of the `expect` of a decision vector, with optional extra members. */
export type DecisionJson =
  | { readonly error: string }
  | {
      readonly order: readonly string[];
      readonly create: readonly CreationJson[];
      readonly channel_switches: readonly { readonly cluster_id: string; readonly from: string; readonly to: string }[];
      readonly missing_gates: readonly {
        readonly cluster_id: string;
        readonly version_prefix: string;
        readonly count: number;
      }[];
      readonly remaining_soak_days: Readonly<Record<string, Readonly<Record<string, number>>>>;
      readonly cancel?: readonly CancellationJson[];
      readonly verdicts?: readonly ExplanationJson[];
    };

interface CreationJson {
  readonly kind: string;
  readonly cluster_id: string;
  readonly version: string;
  readonly next_run: string;
  readonly node_pool?: string;
}

interface CancellationJson {
  readonly cluster_id: string;
  readonly policy_id: string;
  readonly version: string;
  readonly reason: string;
}

interface ExplanationJson {
  readonly cluster_id: string;
  readonly waits_for?: string;
  readonly candidates: readonly {
    readonly version: string;
    readonly node_pool?: string;
    readonly verdicts: readonly {
      readonly gate: string;
      readonly ok: boolean;
      readonly reason: string;
      readonly until?: string;
    }[];
  }[];
}

/** The plan, with clusters by name in their turn order. */
function decisionJson(names: ReadonlyMap<string, string>, planned: Planned, explain: boolean): DecisionJson {
  const { plan, verdicts, missingGates, remainingSoak, fault } = planned;
  if (fault !== undefined) return { error: fault };
  const cancel = plan.flatMap(cancellationJson);
  return {
    order: verdicts.map((each) => names.get(each.clusterId) ?? each.clusterId),
    create: plan.flatMap(creationJson),
    channel_switches: plan.flatMap((item) =>
      item.action === 'switch-channel' ? [{ cluster_id: item.clusterId, from: item.from, to: item.to }] : [],
    ),
    missing_gates: missingGates.map((each) => ({
      cluster_id: each.clusterId,
      version_prefix: each.minor,
      count: each.count,
    })),
    remaining_soak_days: Object.fromEntries(
      [...remainingSoak].map(([uuid, versions]) => [uuid, Object.fromEntries(versions)]),
    ),
    ...(cancel.length === 0 ? {} : { cancel }),
    ...(explain ? { verdicts: verdicts.map(explanationJson) } : {}),
  };
}

function creationJson(item: PlanItem): CreationJson[] {
  if (item.action !== 'upgrade') return [];
  const { kind: what, clusterId: id, version, nextRun, nodePool } = item;
  const pool = nodePool === undefined ? {} : { node_pool: nodePool };
  return [{ kind: what, cluster_id: id, version, next_run: secondText(nextRun), ...pool }];
}

function cancellationJson(item: PlanItem): CancellationJson[] {
  if (item.action !== 'cancel') return [];
  const { clusterId: id, policyId, version, reason } = item;
  return [{ cluster_id: id, policy_id: policyId, version, reason }];
}

function explanationJson({ clusterId: id, waitsFor, candidates }: Explanation): ExplanationJson {
  return {
    cluster_id: id,
    ...defined({ waits_for: waitsFor }),
    candidates: candidates.map(({ version, nodePool, verdicts }) => ({
      version,
      ...defined({ node_pool: nodePool }),
      verdicts: verdicts.map(({ gate, ok, reason, until }) => ({
        gate,
        ok,
        reason,
        ...(until === undefined ? {} : { until: secondText(until) }),
      })),
    })),
  };
}

const texts = z.array(z.string());
const optionalTexts = texts.nullish();
const clusterId = z.string().transform((id) => id as ClusterId);
const kind = z.enum(['cluster', 'control_plane', 'node_pool']);

const sectorShape = z.object({
  name: z.string(),
  max_parallel_upgrades: z.string().nullish(),
  dependencies: texts.default([]),
});

const clusterShape = z.object({
  id: clusterId,
  uuid: z.string().transform((uuid) => uuid as ClusterUuid),
  name: z.string(),
  version: versionShape,
  available_upgrades: texts,
  channel: z.string(),
  available_channels: texts,
  hypershift: z.boolean(),
  product: z.enum(['rosa', 'osd']),
  sts: z.boolean(),
  soak_days: z.number().int().min(0),
  workloads: texts.min(1),
  schedule: z.string(),
  sector: z.string().nullish(),
  mutexes: optionalTexts,
  blocked_versions: optionalTexts,
  /** Beyond the vectors: times without upgrades. */
  freezes: optionalTexts,
  node_pools: z.array(z.object({ id: z.string(), version: versionShape })),
  /** Beyond the vectors: what an enforced health check reports, and why the cluster is held. */
  health_error: z.string().nullish(),
  held: z.string().nullish(),
});

const policyShape = z.object({
  kind,
  cluster_id: clusterId,
  id: z.string(),
  version: z.string(),
  state: z.string(),
  next_run: instantShape,
  schedule_type: z.enum(['manual', 'automatic']),
  node_pool: z.string().nullish(),
  /** Beyond the vectors: created by Echelon. */
  ours: z.boolean().default(false),
});

/** One organization at one time, in the shape of the `input` of a decision vector. */
const factsShape = z.object({
  now: instantShape,
  org_blocked_versions: texts,
  /** Beyond the vectors: times without upgrades. */
  org_freezes: texts.default([]),
  sectors: z.array(sectorShape),
  clusters: z.array(clusterShape),
  existing_policies: z.array(policyShape),
  version_data: stateShape,
  version_gates: z.array(z.object({ id: z.string(), version_raw_id_prefix: z.string(), label: z.string() })),
  agreements: z.record(z.string(), texts),
});

type FactsJson = z.infer<typeof factsShape>;

/** The facts as engine types. The history is used unchanged. */
function factsFromJson(input: FactsJson): OrgFacts {
  const clusters: ServedCluster[] = [];
  const held: HeldCluster[] = [];
  for (const raw of input.clusters) {
    const cluster = clusterOf(raw);
    if (raw.held) held.push({ ...cluster, known: cluster.policy, held: raw.held });
    else clusters.push(cluster);
  }
  return {
    blockedVersions: input.org_blocked_versions,
    freezes: input.org_freezes,
    sectors: input.sectors.map(sectorOf),
    clusters,
    held,
    problems: [],
    policies: input.existing_policies.map(policyOf),
    gates: input.version_gates.map(({ id, version_raw_id_prefix: prefix, label }) => ({ id, prefix, label })),
    agreements: new Map(Object.entries(input.agreements).map(([id, gates]) => [id as ClusterId, new Set(gates)])),
    ledger: ledgerOf(input.version_data),
    inherited: [],
  };
}

function clusterOf(raw: FactsJson['clusters'][number]): ServedCluster {
  return {
    id: raw.id,
    uuid: raw.uuid,
    name: raw.name,
    version: raw.version,
    availableUpgrades: raw.available_upgrades,
    channel: raw.channel,
    availableChannels: raw.available_channels,
    hosted: raw.hypershift && raw.product === 'rosa',
    sts: raw.sts,
    nodePools: raw.node_pools,
    state: 'ready',
    ...(raw.health_error ? { healthFault: raw.health_error } : {}),
    policy: upgradePolicyOf(raw),
  };
}

function upgradePolicyOf(raw: FactsJson['clusters'][number]): UpgradePolicy {
  return {
    soakDays: raw.soak_days,
    workloads: raw.workloads,
    schedule: raw.schedule,
    ...(raw.mutexes ? { mutexes: raw.mutexes } : {}),
    ...(raw.sector ? { sector: raw.sector } : {}),
    ...(raw.blocked_versions ? { blockedVersions: raw.blocked_versions } : {}),
    ...(raw.freezes ? { freezes: raw.freezes } : {}),
  };
}

function sectorOf({ name, max_parallel_upgrades: limit, dependencies }: FactsJson['sectors'][number]): SectorSpec {
  return { name, dependencies, ...(limit ? { maxParallelUpgrades: limit } : {}) };
}

function policyOf(raw: FactsJson['existing_policies'][number]): ScheduledUpgrade {
  return {
    kind: raw.kind,
    clusterId: raw.cluster_id,
    id: raw.id,
    version: raw.version,
    state: raw.state,
    nextRun: raw.next_run,
    ...(raw.node_pool ? { nodePool: raw.node_pool } : {}),
    ours: raw.ours,
  };
}
