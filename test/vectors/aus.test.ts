import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Instant, parseInstant, secondText } from '../../src/gates/index.ts';
import type { DecisionJson } from '../../src/upgrades/decide-file.ts';
import { ADDON_TIMING, CLUSTER_TIMING, dueAt } from '../../src/upgrades/engine/cluster-gates.ts';
import { planUpgrades } from '../../src/upgrades/engine/decide.ts';
import { nextChannel, type OrgFacts } from '../../src/upgrades/engine/facts.ts';
import { parallelLimit } from '../../src/upgrades/engine/mutexes.ts';
import { QONTRACT_RULES, RULE_NAMES, type RuleName, rulesWith } from '../../src/upgrades/engine/rules.ts';
import { EMPTY_LEDGER, inheritSoak, type Observation, observe } from '../../src/upgrades/engine/soak.ts';
import { sortVersions } from '../../src/upgrades/engine/versions.ts';
import { DEFAULT_RULES, decideFile, type Ledger, type Rules, type Version } from '../../src/upgrades/index.ts';
import { enabledGates } from '../../src/upgrades/policies/fields.ts';
import { inheritanceNetwork } from '../../src/upgrades/policies/inheritance.ts';
import { type Labels, PREFIX } from '../../src/upgrades/policies/label-keys.ts';
import { parseClusterLabels, parseOrganizationLabels } from '../../src/upgrades/policies/labels.ts';
import { ledgerOf, stateOf, stateShape } from '../../src/upgrades/scheduler/state.ts';
import { REPO } from '../support/shared.ts';

/** Cases of the existing scheduler with its answers. They stand beside the repository, not in it. */
const VECTORS = join(REPO, '../shared/vectors/aus');
const hasVectors = existsSync(VECTORS);
const LENIENT = { strict: false } as const;

function cases<Case>(name: string): readonly Case[] {
  return hasVectors ? JSON.parse(readFileSync(join(VECTORS, `${name}.json`), 'utf8')) : [];
}

/** Numbers are compared with the tolerance that the vectors ask for. */
function near(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value * 1e8) / 1e8 + 0;
  if (Array.isArray(value)) return value.map(near);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, near(member)]));
}

function at(text: string): Instant {
  const instant = parseInstant(text);
  if (instant === undefined) throw new Error(`${text} is no time`);
  return instant;
}

describe.runIf(hasVectors)('schedule.json', () => {
  interface Case {
    readonly schedule: string;
    readonly now: string;
    readonly addon: boolean;
    readonly expect: { readonly next_run: string | null } | { readonly error: string };
  }

  it.each(cases<Case>('schedule'))('$schedule at $now', ({ schedule, now, addon, expect: expected }) => {
    const timing = addon ? ADDON_TIMING : CLUSTER_TIMING;
    const due = dueAt(schedule, at(now), { dialect: 'croniter', timing });
    const told = 'fault' in due ? 'error' : due.due ? secondText(due.slot) : null;
    expect(told).toBe('error' in expected ? 'error' : expected.next_run);
  });
});

describe.runIf(hasVectors)('cluster_labels.json', () => {
  interface Case {
    readonly labels: Labels;
    readonly expect: { readonly policy?: object; readonly errors?: readonly { readonly label: string }[] };
  }

  it.each(cases<Case>('cluster_labels'))('$labels', ({ labels, expect: expected }) => {
    const { policy, faults } = parseClusterLabels(withPrefix(labels), LENIENT);
    const told = policy && {
      soak_days: policy.soakDays,
      workloads: policy.workloads,
      schedule: policy.schedule,
      mutexes: policy.mutexes ?? null,
      sector: policy.sector ?? null,
      blocked_versions: policy.blockedVersions ?? null,
      version_gate_approvals: policy.versionGateApprovals ?? null,
    };
    expect(told).toEqual(expected.policy);
    expect(faults.map(({ key }) => key).sort()).toEqual((expected.errors ?? []).map(({ label }) => label).sort());
  });
});

describe.runIf(hasVectors)('organization_labels.json', () => {
  interface Case {
    readonly labels: Labels;
    readonly expect: {
      readonly blocked_versions: readonly string[] | null;
      readonly sectors: readonly object[];
      readonly sector_error?: string;
    };
  }

  it.each(cases<Case>('organization_labels'))('$labels', ({ labels, expect: expected }) => {
    const { blockedVersions, sectors, faults } = parseOrganizationLabels(withPrefix(labels), LENIENT);
    const told = sectors.map(({ name, maxParallelUpgrades, dependencies }) => ({
      name,
      max_parallel_upgrades: maxParallelUpgrades ?? null,
      dependencies,
    }));
    expect(blockedVersions ?? null).toEqual(expected.blocked_versions);
    expect(told.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(expected.sectors);
    expect(faults.length > 0).toBe(expected.sector_error !== undefined);
  });
});

function withPrefix(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [PREFIX + key, value]));
}

describe.runIf(hasVectors)('inheritance.json', () => {
  interface Case {
    readonly orgs: Readonly<Record<string, { readonly env: string; readonly labels: Labels }>>;
    readonly expect: Readonly<Record<string, { readonly inherit_from: string[]; readonly unverified: string[] }>>;
  }

  it.each(cases<Case>('inheritance'))('$orgs', ({ orgs, expect: expected }) => {
    const sharing = Object.entries(orgs).map(([id, { env, labels }]) => {
      const given = Object.entries(labels).map(([key, value]) => [`${PREFIX}version-data.${key}`, value]);
      const { inherit, publish } = parseOrganizationLabels(Object.fromEntries(given), LENIENT);
      return [id, { environment: env, inherit, publish }] as const;
    });
    const network = inheritanceNetwork(new Map(sharing));
    const told = [...network].map(([id, { verified, unverified }]) => [
      id,
      { inherit_from: verified.map(scopeOf).sort(), unverified: unverified.map(scopeOf).sort() },
    ]);
    expect(Object.fromEntries(told)).toEqual(expected);
  });

  function scopeOf({ environment, orgId }: { environment: string; orgId: string }): string {
    return `${environment}/${orgId}`;
  }
});

describe.runIf(hasVectors)('history.json', () => {
  interface Case {
    readonly name: string;
    readonly initial: object;
    readonly check_ins: readonly { readonly now: string; readonly clusters: readonly HistoryCluster[] }[];
    readonly expect: readonly object[];
  }
  interface HistoryCluster {
    readonly name: string;
    readonly version: Version;
    readonly workloads: readonly string[];
    readonly health: string;
  }

  it.each(cases<Case>('history'))('$name', ({ initial, check_ins: checkIns, expect: expected }) => {
    let ledger = ledgerOf(stateShape.parse(initial));
    const told = checkIns.map(({ now, clusters }) => {
      ledger = observe(ledger, clusters.map(seen), at(now), QONTRACT_RULES);
      return stateOf(ledger);
    });
    expect(near(told)).toEqual(near(expected));
  });

  function seen({ health, ...cluster }: HistoryCluster): Observation {
    return { uuid: `${cluster.name}-uuid` as Observation['uuid'], healthy: health !== 'unhealthy', ...cluster };
  }
});

describe.runIf(hasVectors)('aggregate.json', () => {
  interface Case {
    readonly own: object;
    readonly others: readonly { readonly scope: string; readonly data: object }[];
    readonly expect: { readonly stats?: { readonly inherited?: object } };
    readonly validate_against_inherited: readonly {
      readonly version: Version;
      readonly workloads: readonly string[];
      readonly ok: boolean;
    }[];
  }
  const aggregated = ({ own, others }: Case): Ledger =>
    inheritSoak(
      ledgerOf(stateShape.parse(own)),
      others.map(({ scope, data }) => ({ scope, ledger: ledgerOf(stateShape.parse(data)) })),
    );

  it.each(cases<Case>('aggregate'))('sums of case %#', (given) => {
    const ledger = aggregated(given);
    const { inherited, ...stats } = given.expect.stats ?? {};
    expect(near(stateOf(ledger))).toEqual(near({ ...given.expect, stats }));
    const minima = ledger.inheritedMinima;
    const told = minima && {
      min_version: minima.all,
      min_version_per_workload: Object.fromEntries(minima.perWorkload),
    };
    expect(told).toEqual(inherited);
  });

  it.each(cases<Case>('aggregate'))('floor of case %#', (given) => {
    const ledger = aggregated(given);
    for (const { version, workloads, ok } of given.validate_against_inherited) {
      expect(floorIsOpen(ledger, version, workloads), `${version} for ${workloads}`).toBe(ok);
    }
  });

  /** What the gate says about a cluster with a sector, asked through a whole decision. */
  function floorIsOpen(ledger: Ledger, version: Version, workloads: readonly string[]): boolean | undefined {
    const cluster = {
      ...{ id: 'id', uuid: 'uuid', name: 'c', version: '4.0.0', availableUpgrades: [version], channel: 'stable' },
      ...{ availableChannels: [], hosted: false, sts: false, nodePools: [], state: 'ready' },
      policy: { soakDays: 0, workloads, schedule: '* * * * *', sector: 's' },
    } as unknown as OrgFacts['clusters'][number];
    const facts: OrgFacts = {
      blockedVersions: [],
      freezes: [],
      sectors: [{ name: 's', dependencies: [] }],
      clusters: [cluster],
      held: [],
      problems: [],
      policies: [],
      gates: [],
      agreements: new Map(),
      ledger: EMPTY_LEDGER,
      inherited: [],
    };
    const { verdicts } = planUpgrades(facts, ledger, at('2024-03-01T10:00:00Z'), QONTRACT_RULES);
    return verdicts[0]?.candidates[0]?.verdicts.find(({ gate }) => gate === 'inherited-floor')?.ok;
  }
});

describe.runIf(hasVectors)('max_parallel.json', () => {
  interface Case {
    readonly value: string;
    readonly clusters_with_mutex: number;
    readonly limit: number;
  }

  it.each(cases<Case>('max_parallel'))('$value of $clusters_with_mutex is $limit', (given) => {
    expect(parallelLimit(given.value, given.clusters_with_mutex)).toBe(given.limit);
  });
});

describe.runIf(hasVectors)('enabled_gate_handlers.json', () => {
  interface Case {
    readonly label: string | null;
    readonly expect: readonly string[];
  }

  it.each(cases<Case>('enabled_gate_handlers'))('$label', ({ label, expect: expected }) => {
    expect(enabledGates(label ?? undefined, LENIENT)).toEqual(new Set(expected));
  });
});

describe.runIf(hasVectors)('y_stream_channel.json', () => {
  interface Case {
    readonly channel: string;
    readonly is_y_stream: boolean;
    readonly target: string | null;
  }

  it.each(cases<Case>('y_stream_channel'))('$channel', ({ channel, is_y_stream: isYStream, target }) => {
    expect(nextChannel(channel) ?? null).toBe(target);
    expect(nextChannel(channel) !== undefined).toBe(isYStream);
  });
});

describe.runIf(hasVectors)('semver_sort.json', () => {
  it.each(cases<{ input: Version[]; expect: Version[] }>('semver_sort'))('$input', ({ input, expect: expected }) => {
    expect(sortVersions(input)).toEqual(expected);
  });
});

interface DecisionCase {
  readonly name: string;
  readonly input: object;
  readonly expect: DecisionJson;
}

function decided({ input, name }: DecisionCase, rules: Rules): unknown {
  return comparable(decideFile(input, { rules, name }));
}

/** Of an error only that it is one; the words are those of another language. */
function comparable(decision: DecisionJson): unknown {
  return 'error' in decision ? { error: true } : near(decision);
}

describe.runIf(hasVectors)('decision.json with the rules of the existing scheduler', () => {
  it.each(cases<DecisionCase>('decision'))('$name', (given) => {
    expect(decided(given, QONTRACT_RULES)).toEqual(comparable(given.expect));
  });
});

/** Cases that Echelon decides otherwise, and the rules that make it so; docs/differences.md lists the same. */
const DIFFERENCES: Readonly<Record<string, readonly RuleName[]>> = {
  'mutex-across-sectors-with-limit': ['mutexAcrossSectors'],
  'inherited-min-version-needs-sector': ['floorWithoutSector'],
  'gate-missing-no-fallback-no-lock': ['tryLowerWhenGated'],
  'fuzz-1': ['nodePoolsFollowSchedule'],
  'fuzz-22': ['nodePoolsFollowSchedule', 'mutexAcrossSectors'],
  'fuzz-35': ['nodePoolsFollowSchedule'],
  'fuzz-47': ['nodePoolsFollowSchedule'],
  'fuzz-51': ['nodePoolsFollowSchedule'],
  'fuzz-54': ['nodePoolsFollowSchedule'],
  'fuzz-58': ['nodePoolsFollowSchedule'],
  'fuzz-67': ['floorWithoutSector'],
  'fuzz-82': ['nodePoolsFollowSchedule'],
  'fuzz-86': ['nodePoolsFollowSchedule'],
  'fuzz-93': ['tryLowerWhenGated'],
  'fuzz-102': ['floorWithoutSector'],
  'fuzz-106': ['nodePoolsFollowSchedule'],
  'fuzz-109': ['floorWithoutSector'],
  'fuzz-118': ['nodePoolsFollowSchedule', 'mutexAcrossSectors'],
  'fuzz-122': ['nodePoolsFollowSchedule'],
  'fuzz-129': ['tryLowerWhenGated'],
  'fuzz-132': ['nodePoolsFollowSchedule', 'mutexAcrossSectors'],
  'fuzz-149': ['nodePoolsFollowSchedule'],
  'fuzz-158': ['nodePoolsFollowSchedule'],
};

describe.runIf(hasVectors)('decision.json with the rules of Echelon', () => {
  const all = cases<DecisionCase>('decision');
  const differs = (given: DecisionCase, rules: Rules): boolean => {
    return JSON.stringify(sorted(decided(given, rules))) !== JSON.stringify(sorted(comparable(given.expect)));
  };

  it('differs exactly where it is meant to', () => {
    const found = all.filter((given) => differs(given, DEFAULT_RULES)).map(({ name }) => name);
    expect(found.sort()).toEqual(Object.keys(DIFFERENCES).sort());
  });

  it.each(all.filter(({ name }) => name in DIFFERENCES))('$name differs by its rules alone', (given) => {
    const rules = DIFFERENCES[given.name] ?? [];
    for (const rule of rules) expect(differs(given, rulesWith([rule])), `${rule} alone makes a difference`).toBe(true);
    const others = RULE_NAMES.filter((rule) => !rules.includes(rule));
    expect(differs(given, rulesWith(others)), 'without them there is none').toBe(false);
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}
