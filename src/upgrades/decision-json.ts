import { defined } from '../base/index.ts';
import { secondText } from '../gates/index.ts';
import type { Explanation, PlanItem } from './engine/choose.ts';
import type { Planned } from './engine/decide.ts';

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
export function decisionJson(names: ReadonlyMap<string, string>, planned: Planned, explain: boolean): DecisionJson {
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
