import { describe, expect, it } from 'vitest';
import { at, cluster, held, organization, soaked } from '../../../test/support/upgrade-facts.ts';
import { instantText } from '../../gates/index.ts';
import { GATE_LABELS } from '../policies/fields.ts';
import type { ClusterUuid } from '../policies/org-spec.ts';
import {
  availableGate,
  blockedGate,
  inheritedFloorGate,
  missingGates,
  sectorGate,
  soakGate,
  versionGateGate,
} from './candidate-gates.ts';
import { contextOf } from './context.ts';
import type { OrgFacts, ServedCluster } from './facts.ts';
import { DEFAULT_RULES, QONTRACT_RULES } from './rules.ts';
import { EMPTY_LEDGER, type Ledger } from './soak.ts';
import type { Version } from './versions.ts';

describe('the gate of what OCM offers', () => {
  it.each(['4.14.2', '4.16.0-rc.1'])('is open for %s', (version) => {
    expect(availableGate(version)).toEqual({ gate: 'available', ok: true, reason: 'OCM offers it' });
  });

  it.each(['4.14', 'v4.14.2', ''])('cannot be read for "%s"', (version) => {
    expect(availableGate(version)).toMatchObject({ ok: false, fault: 'cluster' });
  });
});

function askBlocked(ofOrganization: readonly string[], ofCluster: readonly string[] | undefined) {
  const facts = organization({ blockedVersions: ofOrganization });
  const context = contextOf(facts, EMPTY_LEDGER, at('2024-03-01T10:00:00Z'), DEFAULT_RULES);
  return blockedGate(ofCluster === undefined ? {} : { blockedVersions: ofCluster }, '4.14.19', context);
}

describe('the gate of blocks', () => {
  it.each([
    { given: 'nothing', organization: [], cluster: undefined, ok: true, reason: 'no block matches' },
    { given: 'other versions', organization: ['20$'], cluster: ['rc'], ok: true, reason: 'no block matches' },
    {
      given: 'the version, by the organization',
      organization: ['19$'],
      cluster: [],
      ok: false,
      reason: 'the block "19$" of the organization matches',
    },
    {
      given: 'the version, by the cluster',
      organization: [],
      cluster: ['14'],
      ok: false,
      reason: 'the block "14" of the cluster matches',
    },
    {
      given: 'a pattern with a backslash, shown as it was written,',
      organization: [String.raw`^4\.14\.19$`],
      cluster: [],
      ok: false,
      reason: String.raw`the block "^4\.14\.19$" of the organization matches`,
    },
    {
      given: 'everything',
      organization: [''],
      cluster: [],
      ok: false,
      reason: 'the block "" of the organization matches',
    },
  ])('with $given blocked is open: $ok', ({ organization: all, cluster, ok, reason }) => {
    expect(askBlocked(all, cluster)).toMatchObject({ gate: 'blocked', ok, reason });
  });

  it.each([
    { all: ['['], cluster: [], fault: 'organization' },
    { all: [], cluster: ['['], fault: 'cluster' },
  ])('is closed by what is no pattern, of the $fault', ({ all, cluster, fault }) => {
    expect(askBlocked(all, cluster)).toMatchObject({
      ok: false,
      fault,
      reason: expect.stringContaining('is not a valid pattern'),
    });
  });
});

const LEDGER: Ledger = {
  ...EMPTY_LEDGER,
  inheritedMinima: { all: '4.13.9' as Version, perWorkload: new Map([['wl', '4.14.0' as Version]]) },
};

function askFloor(
  version: string,
  workloads: readonly string[],
  { sector = 's', rules = DEFAULT_RULES, ledger = LEDGER } = {},
) {
  const context = contextOf(organization(), ledger, at('2024-03-01T10:00:00Z'), rules);
  const policy = { soakDays: 0, schedule: '* * * * *', workloads, sector };
  return inheritedFloorGate(policy, version as Version, context);
}

describe('the gate of the inherited floor', () => {
  it.each([
    { version: '4.14.0', workloads: ['wl'], ok: true },
    { version: '4.14.1', workloads: ['wl'], ok: false },
    { version: '4.14.0', workloads: ['wl', 'unknown'], ok: false },
    { version: '4.13.9', workloads: ['wl', 'unknown'], ok: true },
    { version: '4.13.10', workloads: ['unknown'], ok: false },
  ])('for $version with $workloads is open: $ok', ({ version, workloads, ok }) => {
    expect(askFloor(version, workloads).ok).toBe(ok);
  });

  it('says which workload is behind, or that one is not inherited', () => {
    expect(askFloor('4.14.1', ['wl']).reason).toBe('inherited workload wl still has clusters on 4.14.0');
    expect(askFloor('4.14.1', ['x']).reason).toBe('workload x is not inherited, and some clusters are still on 4.13.9');
  });

  it.each([
    { rules: DEFAULT_RULES, ok: false },
    { rules: QONTRACT_RULES, ok: true },
  ])('holds for a cluster without a sector only by a rule', ({ rules, ok }) => {
    expect(askFloor('4.14.1', ['wl'], { sector: '', rules }).ok).toBe(ok);
  });

  it.each([
    { rules: DEFAULT_RULES, ok: false },
    { rules: QONTRACT_RULES, ok: true },
  ])('waits for a source that was never observed only by a rule', ({ rules, ok }) => {
    const ledger = { ...LEDGER, unobservedSources: ['prod/o1'] };
    const { inheritedMinima: _, ...none } = ledger;
    expect(askFloor('4.13.9', ['wl'], { rules, ledger }).ok).toBe(ok);
    expect(askFloor('4.99.0', ['wl'], { rules, ledger: none }).ok).toBe(ok);
  });

  it('is open where nothing is inherited', () => {
    expect(askFloor('4.99.0', ['wl'], { ledger: EMPTY_LEDGER }).ok).toBe(true);
  });
});

const SECTORS = [
  { name: 'stage', dependencies: [] },
  { name: 'prod', dependencies: ['stage'] },
];

function askSector(given: Partial<OrgFacts>, sector: string | null = 'prod', rules = DEFAULT_RULES) {
  const context = contextOf(
    organization({ sectors: SECTORS, ...given }),
    EMPTY_LEDGER,
    at('2024-03-01T10:00:00Z'),
    rules,
  );
  const policy = { soakDays: 0, schedule: '* * * * *', workloads: ['wl'], ...(sector === null ? {} : { sector }) };
  return sectorGate(policy, '4.14.2' as Version, context);
}

const onStage = (version: string) => ({ version, policy: { sector: 'stage' } });

describe('the gate of sectors', () => {
  it.each([
    { given: 'on it', version: '4.14.2', ok: true },
    { given: 'past it', version: '4.14.10', ok: true },
    { given: 'behind', version: '4.14.1', ok: false },
  ])('with the dependency $given is open: $ok', ({ version, ok }) => {
    expect(askSector({ clusters: [cluster('s', onStage(version))] }).ok).toBe(ok);
  });

  it('says who is behind', () => {
    expect(askSector({ clusters: [cluster('s', onStage('4.14.1'))] })).toEqual({
      gate: 'sector',
      ok: false,
      reason: 'sector stage still has s on 4.14.1, with wl',
      waitsOn: 's',
    });
  });

  it('is open without a sector, and in a sector without dependencies', () => {
    const clusters = [cluster('s', onStage('4.14.1'))];
    expect([
      askSector({ clusters }, null).ok,
      askSector({ clusters }, '').ok,
      askSector({ clusters }, 'stage').ok,
    ]).toEqual([true, true, true]);
  });

  it.each([
    { given: 'with its workload', known: { sector: 'stage', workloads: ['wl'] }, ok: false },
    { given: 'whose workloads nobody knows', known: { sector: 'stage' }, ok: false },
    { given: 'with another workload', known: { sector: 'stage', workloads: ['x'] }, ok: true },
    { given: 'of no known sector', known: {}, ok: true },
  ])('with a held cluster $given behind is open: $ok', ({ known, ok }) => {
    const given = { held: [held('s', { version: '4.14.1', known })] };
    expect(askSector(given).ok).toBe(ok);
    expect(askSector(given, 'prod', QONTRACT_RULES).ok, 'the existing scheduler forgets it').toBe(true);
  });

  it('tells clusters of one name apart, which the existing scheduler does not', () => {
    const clusters = [
      cluster('s', onStage('4.14.1')),
      { ...cluster('s', onStage('4.14.2')), id: 'other' as never, uuid: 'other' as never },
    ];
    expect(askSector({ clusters }).ok).toBe(false);
    expect(askSector({ clusters }, 'prod', QONTRACT_RULES).ok).toBe(true);
  });
});

const VERSION = '4.14.2';

function askSoak(days: Readonly<Record<string, number>>, soakDays: number, clusters: readonly ServedCluster[] = []) {
  const now = at('2024-03-01T10:00:00Z');
  const context = contextOf(organization({ clusters }), soaked({ [VERSION]: days }), now, DEFAULT_RULES);
  return soakGate({ soakDays, workloads: ['a', 'b'] }, VERSION, context);
}

describe('the gate of soak', () => {
  it.each([
    { days: {}, soakDays: 0, ok: true, reason: 'no soak is required' },
    { days: { a: 3, b: 3 }, soakDays: 3, ok: true, reason: 'a has soaked 3 of 3 days' },
    { days: { a: 9, b: 2.999 }, soakDays: 3, ok: false, reason: 'b has soaked 2.99 of 3 days' },
    { days: { a: 9 }, soakDays: 1, ok: false, reason: 'b has soaked 0 of 1 days' },
    { days: {}, soakDays: 1, ok: false, reason: 'a has soaked 0 of 1 days' },
    { days: { a: -1, b: 0 }, soakDays: 0, ok: false, reason: 'a has soaked -1 of 0 days' },
  ])('with $days of $soakDays says: $reason', ({ days, soakDays, ok, reason }) => {
    expect(askSoak(days, soakDays)).toMatchObject({ gate: 'soak', ok, reason });
  });

  it('counts microseconds', () => {
    const micro = 1 / 86_400_000_000;
    expect([askSoak({ a: 1, b: 1 }, 1).ok, askSoak({ a: 1, b: 1 - micro }, 1).ok]).toEqual([true, false]);
  });

  it.each([
    { given: 'two clusters for each', names: ['x', 'y'], until: '2024-03-01T22:00:00Z' },
    { given: 'nobody', names: [], until: undefined },
  ])('with $given running it opens at $until', ({ names, until }) => {
    const running = names.map((name) => cluster(name, { version: VERSION, policy: { workloads: ['a', 'b'] } }));
    const { until: opens } = askSoak({ a: 1, b: 0 }, 1, running);
    expect(opens === undefined ? undefined : instantText(opens)).toBe(until);
  });

  it('names a workload that nobody runs before one that soaks', () => {
    const running = cluster('x', { version: VERSION, policy: { workloads: ['a'] } });
    expect(askSoak({ a: 0.5, b: 1 }, 2, [running])).toMatchObject({ reason: 'b has soaked 1 of 2 days' });
    expect(askSoak({ a: 0.5, b: 3 }, 2, [running])).toMatchObject({ reason: 'a has soaked 0.5 of 2 days' });
  });

  it.each([
    { given: 'known here', workloads: ['a', 'b'], until: '2024-03-02T10:00:00Z' },
    { given: 'not known here', workloads: ['a', 'c'], until: undefined },
  ])('counts on clusters whose soak is inherited, for workloads that are $given', ({ workloads, until }) => {
    const sightings = new Map([['x' as ClusterUuid, { version: VERSION as Version, workloads: ['a', 'b', 'c'] }]]);
    const facts = organization({ inherited: [{ scope: 'env/other', ledger: { ...EMPTY_LEDGER, sightings } }] });
    const own = soaked({ [VERSION]: { a: 1, b: 1 } });
    const context = contextOf(facts, own, at('2024-03-01T10:00:00Z'), DEFAULT_RULES);
    const { until: opens } = soakGate({ soakDays: 2, workloads }, VERSION, context);
    expect(opens === undefined ? undefined : instantText(opens)).toBe(until);
  });

  it('does not count on sick clusters', () => {
    const sick = cluster('x', { version: VERSION, healthFault: 'sick', policy: { workloads: ['a', 'b'] } });
    expect(askSoak({}, 1, [sick]).until).toBeUndefined();
  });
});

const GATES = [
  { id: 'ocp15', prefix: '4.15', label: GATE_LABELS.ocp },
  { id: 'sts15', prefix: '4.15', label: GATE_LABELS.sts },
  { id: 'new15', prefix: '4.15', label: 'api.openshift.com/gate-new' },
  { id: 'ocp14', prefix: '4.14', label: GATE_LABELS.ocp },
  { id: 'ingress16', prefix: '4.16', label: GATE_LABELS.ingress },
];

function askVersionGate(
  version: string,
  { sts = false, agreed = [] as readonly string[], from = '4.14.1', gates = GATES } = {},
) {
  const one = cluster('c', { sts, version: from });
  const facts = organization({ gates, agreements: new Map([[one.id, new Set(agreed)]]) });
  const context = contextOf(facts, EMPTY_LEDGER, at('2024-03-01T10:00:00Z'), DEFAULT_RULES);
  const minor = version.split('.').slice(0, 2).join('.');
  return { ...versionGateGate(one, version as Version, context), missing: missingGates(one, minor, context) };
}

describe('the gate of version gates', () => {
  it.each([
    { given: 'the minor that it has', version: '4.14.9', options: {}, missing: [] },
    { given: 'the next minor', version: '4.15.0', options: {}, missing: [GATE_LABELS.ocp] },
    {
      given: 'the next minor with STS',
      version: '4.15.0',
      options: { sts: true },
      missing: [GATE_LABELS.ocp, GATE_LABELS.sts],
    },
    { given: 'an agreed minor', version: '4.15.0', options: { agreed: ['ocp15'] }, missing: [] },
    { given: 'a minor past another', version: '4.16.0', options: {}, missing: [GATE_LABELS.ingress] },
    { given: 'a minor of the next major', version: '4.15.0', options: { from: '3.20.0' }, missing: [GATE_LABELS.ocp] },
    { given: 'an earlier minor of this major', version: '4.15.0', options: { from: '4.16.0' }, missing: [] },
    { given: 'a minor without gates', version: '4.17.0', options: {}, missing: [] },
  ])('for $given lacks $missing', ({ version, options, missing }) => {
    const told = askVersionGate(version, options);
    expect(told.missing).toEqual(missing);
    expect(told.ok).toBe(missing.length === 0);
  });

  it('names what is not agreed', () => {
    expect(askVersionGate('4.15.0').reason).toBe('not agreed for 4.15: api.openshift.com/gate-ocp');
  });

  it('names it in the same order, in whatever order OCM lists the gates', () => {
    const told = [GATES, GATES.toReversed()].map((gates) => askVersionGate('4.15.0', { sts: true, gates }).reason);
    expect(told).toEqual(Array(2).fill(`not agreed for 4.15: ${GATE_LABELS.ocp}, ${GATE_LABELS.sts}`));
  });
});
