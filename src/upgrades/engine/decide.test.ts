import { describe, expect, it } from 'vitest';
import { at, cluster, held, organization, policyOn, soaked } from '../../../test/support/upgrade-facts.ts';
import { MICROS, secondText, soakOf } from '../../gates/index.ts';
import { GATE_LABELS } from '../policies/fields.ts';
import type { PlanItem } from './choose.ts';
import { decide, planUpgrades, UPGRADE_GATES } from './decide.ts';
import type { OrgFacts } from './facts.ts';
import { DEFAULT_RULES, QONTRACT_RULES, RULE_NAMES, type RuleName, rulesWith } from './rules.ts';
import { EMPTY_LEDGER } from './soak.ts';
import type { Version } from './versions.ts';

const NOW = at('2024-03-01T10:00:00Z');

/** `a → 4.14.2 at 10:07:00`, one line per item. */
function lines(plan: readonly PlanItem[]): string[] {
  return plan.map((item) => {
    const name = item.clusterId.replace(/-id$/, '');
    if (item.action === 'switch-channel') return `${name}: ${item.from} → ${item.to}`;
    if (item.action === 'cancel') return `${name}: cancel ${item.policyId}`;
    const what = item.nodePool === undefined ? name : `${name}/${item.nodePool}`;
    return `${what} → ${item.version} at ${secondText(item.nextRun).slice(11, 19)}`;
  });
}

function planned(given: Partial<OrgFacts>, rules = DEFAULT_RULES, ledger = EMPTY_LEDGER): string[] {
  const { plan, fault } = planUpgrades(organization(given), ledger, NOW, rules);
  return fault === undefined ? lines(plan) : [`fault: ${fault}`];
}

const without = (...names: RuleName[]) => rulesWith(RULE_NAMES.filter((name) => !names.includes(name)));

describe('turns', () => {
  it('go to the lowest version, then to the least soak, then to who was found first', () => {
    const clusters = [
      cluster('a', { version: '4.14.10', policy: { soakDays: 0 } }),
      cluster('b', { version: '4.14.9', policy: { soakDays: 2 } }),
      cluster('c', { version: '4.14.9', policy: { soakDays: 1 } }),
      cluster('d', { version: '4.14.9', policy: { soakDays: 1 } }),
    ];
    const { verdicts } = planUpgrades(organization({ clusters }), EMPTY_LEDGER, NOW, DEFAULT_RULES);
    expect(verdicts.map(({ clusterId }) => clusterId)).toEqual(['c-id', 'd-id', 'b-id', 'a-id']);
  });

  it('take mutexes one after the other', () => {
    const clusters = ['a', 'b'].map((name) => cluster(name, { policy: { mutexes: ['m'] } }));
    expect(planned({ clusters })).toEqual(['a → 4.14.2 at 10:07:00']);
  });
});

describe('a cluster', () => {
  it('gets the highest version that all gates let pass', () => {
    const clusters = [
      cluster('a', { availableUpgrades: ['4.14.2', '4.14.4', '4.14.3', '4.14.10'], policy: { soakDays: 1 } }),
    ];
    const ledger = soaked({ '4.14.3': { wl: 1 }, '4.14.2': { wl: 5 }, '4.14.4': { wl: 0.9 } });
    expect(planned({ clusters }, DEFAULT_RULES, ledger)).toEqual(['a → 4.14.3 at 10:07:00']);
  });

  it.each([
    {
      given: 'it waits for its window',
      change: { policy: { schedule: '0 23 * * *' } },
      waitsFor: 'schedule',
      switches: true,
    },
    { given: 'no version is offered', change: { availableUpgrades: [] }, waitsFor: 'available', switches: true },
    {
      given: 'all versions are blocked',
      change: { policy: { blockedVersions: ['.'] } },
      waitsFor: 'blocked',
      switches: true,
    },
    { given: 'all versions still soak', change: { policy: { soakDays: 1 } }, waitsFor: 'soak', switches: true },
    { given: 'it is sick', change: { healthFault: 'sick' }, waitsFor: 'health', switches: false },
    {
      given: 'its schedule is unreadable',
      change: { policy: { schedule: 'x' } },
      waitsFor: 'schedule',
      switches: false,
    },
    { given: 'it is busy', change: {}, policies: [policyOn('a')], waitsFor: 'busy', switches: false },
    {
      given: 'a gate is missing',
      change: { availableUpgrades: ['4.15.0'] },
      gates: [{ id: 'g', prefix: '4.15', label: GATE_LABELS.ocp }],
      waitsFor: 'version-gate',
      switches: false,
    },
  ])('changes its channel while $given: $switches', ({ change, waitsFor, switches, ...given }) => {
    const channels = { channel: 'stable-4.14', availableChannels: ['stable-4.15'] };
    const facts = organization({ clusters: [cluster('a', { ...channels, ...change })], ...given });
    const { plan, verdicts } = planUpgrades(facts, EMPTY_LEDGER, NOW, DEFAULT_RULES);
    expect(verdicts[0]?.waitsFor).toBe(waitsFor);
    expect(lines(plan)).toEqual(switches ? ['a: stable-4.14 → stable-4.15'] : []);
  });
});

describe('verdicts', () => {
  it('are kept for every candidate, of every gate, in order', () => {
    const clusters = [cluster('a', { availableUpgrades: ['4.14.2', '4.15.0'], policy: { blockedVersions: ['15'] } })];
    const { verdicts } = planUpgrades(organization({ clusters }), EMPTY_LEDGER, NOW, DEFAULT_RULES);
    const [explained] = verdicts;
    expect(explained?.candidates.map(({ version }) => version)).toEqual(['4.15.0', '4.14.2']);
    for (const candidate of explained?.candidates ?? [])
      expect(candidate.verdicts.map(({ gate }) => gate)).toEqual([...UPGRADE_GATES.keys()]);
    expect(explained?.item).toMatchObject({ version: '4.14.2' });
    expect(explained?.candidates[0]?.verdicts.filter(({ ok }) => !ok).map(({ gate }) => gate)).toEqual(['blocked']);
  });
});

describe('tryLowerWhenGated', () => {
  const facts: Partial<OrgFacts> = {
    clusters: [cluster('a', { availableUpgrades: ['4.14.2', '4.15.1', '4.15.2', '4.16.0'] })],
    gates: ['4.15', '4.16'].map((prefix) => ({ id: prefix, prefix, label: GATE_LABELS.ocp })),
  };

  it.each([
    { rules: DEFAULT_RULES, plan: ['a → 4.14.2 at 10:07:00'], missing: ['4.16', '4.15'] },
    { rules: without('tryLowerWhenGated'), plan: [], missing: ['4.16'] },
  ])('gives $plan, and tells that gates of $missing are missing', ({ rules, plan, missing }) => {
    expect(planned(facts, rules)).toEqual(plan);
    const { missingGates } = planUpgrades(organization(facts), EMPTY_LEDGER, NOW, rules);
    expect(missingGates).toEqual(missing.map((minor) => ({ clusterId: 'a-id', minor, count: 1 })));
  });
});

describe('a hosted control plane', () => {
  const lagging = { version: '4.14.2', nodePools: ['4.14.2', '4.14.1', '4.14.0'], availableUpgrades: ['4.14.3'] };

  it.each([
    { given: 'its pools are with it', change: { nodePools: ['4.14.2'] }, plan: ['h → 4.14.3 at 10:07:00'] },
    { given: 'a pool is behind', change: {}, plan: ['h/np2 → 4.14.2 at 10:07:00'] },
    { given: 'the window is closed', change: { policy: { schedule: '0 23 * * *' } }, plan: [] },
    { given: 'it is sick', change: { healthFault: 'sick' }, plan: [] },
    {
      given: 'its own version is blocked',
      change: { policy: { blockedVersions: ['2$'] } },
      plan: ['h → 4.14.3 at 10:07:00'],
    },
    { given: 'every version is blocked', change: { policy: { blockedVersions: ['.'] } }, plan: [] },
  ])('when $given: $plan', ({ change, plan }) => {
    expect(planned({ clusters: [cluster('h', { ...lagging, ...change })] })).toEqual(plan);
  });

  it('that does not follow its schedule upgrades pools at once', () => {
    const clusters = [cluster('h', { ...lagging, policy: { schedule: '0 23 * * *', blockedVersions: ['.'] } })];
    expect(planned({ clusters }, without('nodePoolsFollowSchedule'))).toEqual(['h/np2 → 4.14.2 at 10:06:00']);
  });

  it.each([
    { rules: DEFAULT_RULES, plan: [] },
    { rules: QONTRACT_RULES, plan: ['h/np2 → 4.14.2 at 10:06:00'] },
  ])('that is busy in a sector with room gets $plan', ({ rules, plan }) => {
    const clusters = [cluster('h', { ...lagging, policy: { sector: 's', mutexes: ['m'] } })];
    const sectors = [{ name: 's', dependencies: [], maxParallelUpgrades: '2' }];
    const given = { clusters, sectors, policies: [policyOn('h', { kind: 'node_pool' })] };
    expect(planned(given, rules)).toEqual(plan);
  });
});

describe('faults of one cluster', () => {
  it.each([
    { given: 'a block that is no pattern', change: { policy: { blockedVersions: ['['] } } },
    { given: 'a schedule that never comes', change: { policy: { schedule: '0 0 30 2 *' } } },
    { given: 'an offer that is no version', change: { availableUpgrades: ['latest'] } },
    { given: 'two policies', change: {}, policies: [policyOn('a'), policyOn('a')] },
  ])('such as $given hold only that cluster', ({ change, policies = [] }) => {
    const given = { clusters: [cluster('a', change), cluster('b')], policies };
    expect(planned(given)).toEqual(['b → 4.14.2 at 10:07:00']);
    expect(planned(given, without('isolateFaults', 'strictPolicies'))).toEqual([expect.stringMatching(/^fault: /)]);
  });

  it('do not matter to the existing scheduler before it comes to them', () => {
    const bad = cluster('a', { policy: { schedule: '0 0 30 2 *' } });
    expect(planned({ clusters: [bad], policies: [policyOn('a')] }, QONTRACT_RULES)).toEqual([]);
  });

  it.each([DEFAULT_RULES, QONTRACT_RULES])('of the organization stop it', (rules) => {
    expect(planned({ clusters: [cluster('a')], blockedVersions: ['['] }, rules)).toEqual([
      expect.stringContaining('of the organization is not a valid pattern'),
    ]);
  });
});

describe('cancelOnBlock', () => {
  const given = { clusters: [cluster('a')], blockedVersions: ['2$'] };

  it.each([
    { given: 'ours, before its start', policy: { ours: true }, plan: ['a: cancel a-policy'] },
    { given: 'ours, pending', policy: { ours: true, state: 'pending' }, plan: ['a: cancel a-policy'] },
    { given: 'of others', policy: { ours: false }, plan: [] },
    { given: 'started', policy: { ours: true, state: 'started' }, plan: [] },
    { given: 'at its start', policy: { ours: true, nextRun: NOW }, plan: [] },
    { given: 'for a version that is not blocked', policy: { ours: true, version: '4.14.3' }, plan: [] },
  ])('for a policy $given: $plan', ({ policy, plan }) => {
    const policies = [policyOn('a', policy)];
    expect(planned({ ...given, policies })).toEqual(plan);
    expect(planned({ ...given, policies }, without('cancelOnBlock'))).toEqual([]);
  });

  it('also for a cluster that is held', () => {
    const facts = { blockedVersions: ['2$'], held: [held('a')], policies: [policyOn('a', { ours: true })] };
    expect(planned(facts)).toEqual(['a: cancel a-policy']);
  });
});

describe('a decision', () => {
  const later = at('2024-03-01T10:10:00Z');
  const facts = organization({
    clusters: [cluster('a', { version: '4.14.2' }), cluster('b', { policy: { soakDays: 1 } })],
  });
  const first = decide(facts, NOW, DEFAULT_RULES);

  it('observes before it plans, and gives the history to store', () => {
    const second = decide({ ...facts, ledger: first.ledger }, later, DEFAULT_RULES);
    expect(soakOf(second.ledger, '4.14.2', 'wl')).toBe(10 * MICROS.minute);
    const soak = second.verdicts[0]?.candidates[0]?.verdicts.find(({ gate }) => gate === 'soak');
    expect(soak).toEqual({
      gate: 'soak',
      ok: false,
      reason: 'wl has soaked 0 of 1 days',
      until: later + MICROS.day - 10 * MICROS.minute,
      waitsOn: 'wl',
    });
  });

  it('uses an inherited history without storing it', () => {
    const minima = { all: '4.14.2' as Version, perWorkload: new Map([['wl', '4.14.2' as Version]]) };
    const inherited = [{ scope: 'prod/o2', ledger: { ...soaked({ '4.14.2': { wl: 2 } }), minima } }];
    const { plan, ledger } = decide({ ...facts, inherited }, NOW, DEFAULT_RULES);
    expect(lines(plan)).toContain('b → 4.14.2 at 10:07:00');
    expect(soakOf(ledger, '4.14.2', 'wl')).toBe(0);
  });

  const problem = { severity: 'error', key: 'k', message: 'is wrong', hint: '' } as const;
  const ofCluster = { ...problem, scope: { kind: 'cluster', cluster: cluster('x') } } as const;
  const ofAll = { ...problem, scope: { kind: 'organization' } } as const;

  it.each([
    { given: 'a problem of a cluster', problems: [ofCluster], rules: DEFAULT_RULES, fault: undefined, observed: true },
    {
      given: 'a problem of the organization',
      problems: [ofAll],
      rules: DEFAULT_RULES,
      fault: 'k: is wrong',
      observed: true,
    },
    {
      given: 'a problem of a cluster for the existing scheduler',
      problems: [ofCluster],
      rules: QONTRACT_RULES,
      fault: 'k: is wrong',
      observed: false,
    },
    {
      given: 'a warning',
      problems: [{ ...ofAll, severity: 'warning' as const }],
      rules: QONTRACT_RULES,
      fault: undefined,
      observed: true,
    },
  ])('with $given stops: $fault', ({ problems, rules, fault, observed }) => {
    const decision = decide({ ...facts, problems }, NOW, rules);
    expect(decision.fault).toBe(fault);
    expect(decision.plan.length > 0).toBe(fault === undefined);
    expect(decision.ledger.checkIn).toBe(observed ? NOW : undefined);
  });

  it('counts held clusters among the lowest versions', () => {
    const { ledger } = decide({ ...facts, held: [held('h', { version: '4.13.0' })] }, NOW, DEFAULT_RULES);
    expect(ledger.minima?.all).toBe('4.13.0');
    expect([...ledger.sightings.keys()]).toEqual(['a-uuid', 'b-uuid']);
  });
});
