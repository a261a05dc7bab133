import { describe, expect, it } from 'vitest';
import { at, cluster, organization } from '../../../test/support/upgrade-facts.ts';
import { broken, gateList, pass } from '../../gates/index.ts';
import type { UpgradePolicy } from '../policies/org-spec.ts';
import { examine, Panel } from './choose.ts';
import { contextOf } from './context.ts';
import { memberOf } from './facts.ts';
import type { SharedGate, UpgradeGate } from './gate.ts';
import { DEFAULT_RULES } from './rules.ts';
import { EMPTY_LEDGER } from './soak.ts';

const POLICY = { soakDays: 1, workloads: ['a', 'b'], sector: 's', blockedVersions: ['x'] };
const OFFERS = { version: '4.14.1', availableUpgrades: ['4.14.2', '4.14.3'] };

/** Examines clusters with these policies, in turn, by one gate; what each was told, and how often the gate was asked. */
function examineBy(judge: SharedGate['judge'], policies: readonly Partial<UpgradePolicy>[]) {
  let asked = 0;
  const gate: SharedGate = {
    ...{ name: 'any', stage: 'version', shared: true, opens: () => 'never' },
    judge: (subject, context) => {
      asked += 1;
      return judge(subject, context);
    },
  };
  const clusters = policies.map((policy, index) => cluster(`c${index}`, { ...OFFERS, policy }));
  const context = contextOf(organization({ clusters }), EMPTY_LEDGER, at('2024-03-01T10:00:00Z'), DEFAULT_RULES);
  const panel = new Panel(gateList<UpgradeGate>([gate]), context);
  const told = clusters.map((each) =>
    examine(each, memberOf(each, each.policy), panel).candidates.map(({ verdicts }) => verdicts[0]?.reason),
  );
  return { told, asked, panel };
}

describe('a gate whose verdict clusters share', () => {
  const saysWhatItSaw: SharedGate['judge'] = ({ policy, version }) =>
    pass('any', JSON.stringify([version, policy.soakDays, policy.workloads, policy.sector, policy.blockedVersions]));

  it('is asked once for each version, whatever else of the policies differs', () => {
    const { told, asked } = examineBy(saysWhatItSaw, [POLICY, { ...POLICY, schedule: '0 0 * * 1', mutexes: ['m'] }]);
    expect(asked).toBe(2);
    expect(told[1]).toEqual(told[0]);
  });

  it.each([
    { soakDays: 2 },
    { workloads: ['a,b'] },
    { workloads: ['b', 'a'] },
    { workloads: ['a'] },
    { sector: 'other' },
    { sector: undefined },
    { blockedVersions: [] },
    { blockedVersions: ['x', 'y'] },
  ] as Partial<UpgradePolicy>[])('is asked again for a cluster with %j', (different) => {
    const policies = [POLICY, { ...POLICY, ...different }, POLICY];
    const { told, asked } = examineBy(saysWhatItSaw, policies);
    expect(asked).toBe(4);
    expect(told).toEqual(policies.map((policy) => examineBy(saysWhatItSaw, [policy]).told[0]));
  });

  it('is known to have a fault from the first one on', () => {
    const faulty: SharedGate['judge'] = ({ policy: { sector } }) =>
      sector === 'bad' ? broken('any', 'cluster', '…') : pass('any', '…');
    expect(examineBy(faulty, [POLICY]).panel.hasFault).toBe(false);
    expect(examineBy(faulty, [{ ...POLICY, sector: 'bad' }, POLICY]).panel.hasFault).toBe(true);
  });
});
