import { describe, expect, it } from 'vitest';
import { at, organization } from '../../../../test/support/upgrade-facts.ts';
import { contextOf } from '../context.ts';
import { EMPTY_LEDGER, type Ledger } from '../ledger.ts';
import { DEFAULT_RULES, QONTRACT_RULES } from '../rules.ts';
import type { Version } from '../versions.ts';
import { inheritedFloorGate } from './inherited-floor.ts';

const LEDGER: Ledger = {
  ...EMPTY_LEDGER,
  inheritedMinima: { all: '4.13.9' as Version, perWorkload: new Map([['wl', '4.14.0' as Version]]) },
};

function ask(
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
    expect(ask(version, workloads).ok).toBe(ok);
  });

  it('says which workload is behind, or that one is not inherited', () => {
    expect(ask('4.14.1', ['wl']).reason).toBe('inherited workload wl still has clusters on 4.14.0');
    expect(ask('4.14.1', ['x']).reason).toBe('workload x is not inherited, and some clusters are still on 4.13.9');
  });

  it.each([
    { rules: DEFAULT_RULES, ok: false },
    { rules: QONTRACT_RULES, ok: true },
  ])('holds for a cluster without a sector only by a rule', ({ rules, ok }) => {
    expect(ask('4.14.1', ['wl'], { sector: '', rules }).ok).toBe(ok);
  });

  it.each([
    { rules: DEFAULT_RULES, ok: false },
    { rules: QONTRACT_RULES, ok: true },
  ])('waits for a source that was never observed only by a rule', ({ rules, ok }) => {
    const ledger = { ...LEDGER, unobservedSources: ['prod/o1'] };
    const { inheritedMinima: _, ...none } = ledger;
    expect(ask('4.13.9', ['wl'], { rules, ledger }).ok).toBe(ok);
    expect(ask('4.99.0', ['wl'], { rules, ledger: none }).ok).toBe(ok);
  });

  it('is open where nothing is inherited', () => {
    expect(ask('4.99.0', ['wl'], { ledger: EMPTY_LEDGER }).ok).toBe(true);
  });
});
