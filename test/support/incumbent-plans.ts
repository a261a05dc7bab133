import { secondText } from '../../src/gates/index.ts';
import { type Decision, decide } from '../../src/upgrades/engine/decide.ts';
import type { OrgFacts, ScheduledUpgrade, ServedCluster } from '../../src/upgrades/engine/facts.ts';
import { QONTRACT_RULES } from '../../src/upgrades/engine/rules.ts';
import type { Ledger } from '../../src/upgrades/index.ts';
import { ledgerOf, stateShape } from '../../src/upgrades/scheduler/state.ts';
import type { IncumbentFleet } from './incumbent-fleets.ts';
import { at, cluster, organization, policyOn } from './upgrade-facts.ts';

type SpokenCluster = IncumbentFleet['passes'][number]['clusters'][number];

export interface SpokenUpgrade {
  readonly action: string;
  readonly cluster: string;
  readonly pool: string | null;
  readonly version: string;
  readonly nextRun: string;
}

/** What Echelon decides with `--rules qontract` in each pass, from its own history. */
export function decideLikeEchelon(fleet: IncumbentFleet): SpokenUpgrade[][] {
  let ledger = readLedger(fleet.history);
  return fleet.passes.map((pass) => {
    const decision = decide(factsOf(fleet, pass, ledger), at(pass.now), QONTRACT_RULES);
    ledger = decision.ledger;
    return spokenPlan(decision);
  });
}

/** What a pass has read before it decides. */
export function factsOf(
  fleet: IncumbentFleet,
  { clusters }: IncumbentFleet['passes'][number],
  ledger: Ledger = readLedger(fleet.history),
): OrgFacts {
  return organization({
    blockedVersions: fleet.blocked,
    sectors: fleet.sectors,
    clusters: clusters.map(served),
    policies: clusters.flatMap(scheduled),
    gates: fleet.gates.map(({ id, label, version_raw_id_prefix: prefix }) => ({ id, label, prefix })),
    agreements: new Map(clusters.map(({ name, agreed }) => [cluster(name).id, new Set(agreed)])),
    inherited: fleet.sources.map((source, number) => ({ scope: `env/o${number}`, ledger: readLedger(source) })),
    ledger,
  });
}

export function spokenPlan({ plan }: Decision): SpokenUpgrade[] {
  return plan.map((item) =>
    item.action === 'upgrade'
      ? {
          ...{ action: 'create', cluster: item.clusterId, pool: item.nodePool ?? null },
          ...{ version: item.version, nextRun: secondText(item.nextRun) },
        }
      : { action: item.action, cluster: item.clusterId, pool: null, version: '', nextRun: '' },
  );
}

function readLedger(state: unknown): Ledger {
  return ledgerOf(stateShape.parse(state));
}

function served(given: SpokenCluster): ServedCluster {
  const { sector, mutexes, blocked: blockedVersions, ...rest } = given.policy;
  const made = cluster(given.name, {
    version: given.version,
    availableUpgrades: given.upgrades,
    sts: given.sts,
    policy: { ...rest, mutexes, blockedVersions, ...(sector === null ? {} : { sector }) },
    ...(given.healthy ? {} : { healthFault: 'e' }),
  });
  const nodePools = given.pools.map(({ id, version: each }) => ({ id, version: each as typeof made.version }));
  return { ...made, hosted: given.hosted, nodePools };
}

function scheduled({ name, hosted, current }: SpokenCluster): ScheduledUpgrade[] {
  if (current === null) return [];
  const kind = current.pool !== null ? 'node_pool' : hosted ? 'control_plane' : 'cluster';
  const pool = current.pool === null ? {} : { nodePool: current.pool };
  return [policyOn(name, { kind, version: current.version, nextRun: at(current.nextRun), ...pool })];
}
