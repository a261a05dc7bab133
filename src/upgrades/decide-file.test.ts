import { describe, expect, it } from 'vitest';
import { EchelonError } from '../base/index.ts';
import { decideFile } from './decide-file.ts';
import { DEFAULT_RULES, QONTRACT_RULES } from './engine/rules.ts';

const CLUSTER = {
  id: 'a-id',
  uuid: 'a-uuid',
  name: 'a',
  version: '4.12.17',
  available_upgrades: ['4.12.18', '4.12.19'],
  channel: 'stable',
  available_channels: [],
  hypershift: false,
  product: 'rosa',
  sts: false,
  soak_days: 0,
  workloads: ['wl'],
  schedule: '* * * * *',
  sector: null,
  mutexes: null,
  blocked_versions: null,
  node_pools: [],
};
const FACTS = {
  now: '2024-03-01T10:00:00Z',
  org_blocked_versions: [],
  sectors: [],
  clusters: [CLUSTER],
  existing_policies: [],
  version_data: { check_in: '2024-03-01T10:00:00Z', versions: {} },
  version_gates: [],
  agreements: {},
};
const POLICY = {
  kind: 'cluster',
  cluster_id: 'a-id',
  id: 'p1',
  version: '4.12.19',
  state: 'scheduled',
  next_run: '2024-03-01T11:00:00Z',
  schedule_type: 'manual',
};

const decided = (facts: unknown, options = {}) =>
  decideFile(facts, { rules: DEFAULT_RULES, name: 'f.json', ...options });

describe('facts in a file', () => {
  it('give a decision', () => {
    expect(decided(FACTS)).toEqual({
      order: ['a'],
      create: [{ kind: 'cluster', cluster_id: 'a-id', version: '4.12.19', next_run: '2024-03-01T10:07:00Z' }],
      channel_switches: [],
      missing_gates: [],
      remaining_soak_days: { 'a-uuid': { '4.12.19': 0 } },
    });
  });

  it('give every verdict when asked', () => {
    const clusters = [{ ...CLUSTER, schedule: '0 23 * * *' }];
    const decision = decided({ ...FACTS, clusters }, { explain: true });
    if ('error' in decision) throw new Error(decision.error);
    const [explained] = decision.verdicts ?? [];
    expect(explained).toMatchObject({ cluster_id: 'a-id', waits_for: 'schedule' });
    expect(explained?.candidates[0]?.verdicts).toContainEqual({
      gate: 'schedule',
      ok: false,
      reason: 'the next slot is 2024-03-01T23:00:00Z',
      until: '2024-03-01T21:00:00Z',
    });
  });

  it('may have what vectors have not: policies of Echelon, sick clusters, clusters that are held', () => {
    const cancelled = decided({
      ...FACTS,
      org_blocked_versions: ['19$'],
      existing_policies: [{ ...POLICY, ours: true }],
    });
    expect(cancelled).toMatchObject({
      cancel: [{ cluster_id: 'a-id', policy_id: 'p1', version: '4.12.19', reason: expect.stringContaining('19$') }],
    });
    expect(decided({ ...FACTS, clusters: [{ ...CLUSTER, health_error: 'sick' }] })).toMatchObject({ create: [] });
    expect(decided({ ...FACTS, clusters: [{ ...CLUSTER, held: 'bad labels' }] })).toMatchObject({
      order: [],
      create: [],
    });
  });

  it('take a cluster for a hosted one only on ROSA', () => {
    const pools = { hypershift: true, node_pools: [{ id: 'np', version: '4.12.16' }] };
    const kinds = ['rosa', 'osd'].map((product) => {
      const decision = decided({ ...FACTS, clusters: [{ ...CLUSTER, ...pools, product }] });
      return 'error' in decision ? decision.error : decision.create[0]?.kind;
    });
    expect(kinds).toEqual(['node_pool', 'cluster']);
  });

  it.each([
    {
      given: 'a circle of sectors',
      sectors: [{ name: 's', dependencies: ['s'] }],
      says: 'dependency cycle between sectors: s → s',
    },
    {
      given: 'a sector that is not declared',
      sectors: [{ name: 's', dependencies: ['x'] }],
      says: 'x, which is not declared',
    },
    {
      given: 'a cluster in none',
      clusters: [{ ...CLUSTER, sector: 'x' }],
      says: 'cluster a is in sector x, which is not declared',
    },
    { given: 'a block that is no pattern', org_blocked_versions: ['['], says: 'is not a valid pattern' },
  ])('give an error for $given', ({ given: _, says, ...change }) => {
    for (const rules of [DEFAULT_RULES, QONTRACT_RULES])
      expect(decided({ ...FACTS, ...change }, { rules })).toEqual({ error: expect.stringContaining(says) });
  });

  it.each([
    { facts: 7, says: 'the document: invalid input' },
    { facts: {}, says: 'now: invalid input' },
    { facts: { ...FACTS, now: 'noon' }, says: 'now: it must be a time such as 2024-03-01T10:00:00Z' },
    {
      facts: { ...FACTS, clusters: [CLUSTER, { ...CLUSTER, version: 'v4' }] },
      says: 'clusters[1].version: it must be a semantic version',
    },
    { facts: { ...FACTS, clusters: [{ ...CLUSTER, workloads: [] }] }, says: 'clusters[0].workloads' },
    { facts: { ...FACTS, agreements: { 'a-id': 'g' } }, says: 'agreements.a-id' },
    { facts: { ...FACTS, existing_policies: [{ ...POLICY, kind: 'x' }] }, says: 'existing_policies[0].kind' },
  ])('are refused: $says', ({ facts, says }) => {
    const refused = (): unknown => decided(facts);
    expect(refused).toThrow(EchelonError);
    expect(refused).toThrow(
      expect.objectContaining({ code: 'FACTS_INVALID', message: expect.stringContaining(`: ${says}`) }),
    );
    expect(refused).toThrow(/^f\.json /);
  });

  it('are refused with the first few places only', () => {
    expect(() => decided({})).toThrow(/; and 5 more$/);
  });
});
