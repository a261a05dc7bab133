import { describe, expect, it } from 'vitest';
import { at, cluster, held, organization } from '../../../../test/support/upgrade-facts.ts';
import { contextOf } from '../context.ts';
import type { OrgFacts } from '../facts.ts';
import { EMPTY_LEDGER } from '../ledger.ts';
import { DEFAULT_RULES, QONTRACT_RULES } from '../rules.ts';
import type { Version } from '../versions.ts';
import { sectorGate } from './sector.ts';

const SECTORS = [
  { name: 'stage', dependencies: [] },
  { name: 'prod', dependencies: ['stage'] },
];

function ask(given: Partial<OrgFacts>, sector: string | null = 'prod', rules = DEFAULT_RULES) {
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
    expect(ask({ clusters: [cluster('s', onStage(version))] }).ok).toBe(ok);
  });

  it('says who is behind', () => {
    expect(ask({ clusters: [cluster('s', onStage('4.14.1'))] })).toEqual({
      gate: 'sector',
      ok: false,
      reason: 'sector stage still has s on 4.14.1, with wl',
      waitsOn: 's',
    });
  });

  it('is open without a sector, and in a sector without dependencies', () => {
    const clusters = [cluster('s', onStage('4.14.1'))];
    expect([ask({ clusters }, null).ok, ask({ clusters }, '').ok, ask({ clusters }, 'stage').ok]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it.each([
    { given: 'with its workload', known: { sector: 'stage', workloads: ['wl'] }, ok: false },
    { given: 'whose workloads nobody knows', known: { sector: 'stage' }, ok: false },
    { given: 'with another workload', known: { sector: 'stage', workloads: ['x'] }, ok: true },
    { given: 'of no known sector', known: {}, ok: true },
  ])('with a held cluster $given behind is open: $ok', ({ known, ok }) => {
    const given = { held: [held('s', { version: '4.14.1', known })] };
    expect(ask(given).ok).toBe(ok);
    expect(ask(given, 'prod', QONTRACT_RULES).ok, 'the existing scheduler forgets it').toBe(true);
  });

  it('tells clusters of one name apart, which the existing scheduler does not', () => {
    const clusters = [
      cluster('s', onStage('4.14.1')),
      { ...cluster('s', onStage('4.14.2')), id: 'other' as never, uuid: 'other' as never },
    ];
    expect(ask({ clusters }).ok).toBe(false);
    expect(ask({ clusters }, 'prod', QONTRACT_RULES).ok).toBe(true);
  });
});
