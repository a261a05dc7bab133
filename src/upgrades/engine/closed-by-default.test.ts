import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FROZEN, gatesWith, STAGES } from '../../../test/support/added-gate.ts';
import { holds } from '../../../test/support/property.ts';
import { factsOf, fleets, NOW } from '../../../test/support/upgrade-fleet.ts';
import type { Candidate, Upgrade } from './choose.ts';
import { decide, type Planned } from './decide.ts';
import { DEFAULT_RULES, RULE_NAMES, rulesWith } from './rules.ts';

const RULES = fc.oneof(fc.constant(DEFAULT_RULES), fc.subarray([...RULE_NAMES]).map(rulesWith));

function upgradesOf({ plan }: Planned): Upgrade[] {
  return plan.flatMap((item) => (item.action === 'upgrade' ? [item] : []));
}

function candidateOf({ verdicts }: Planned, { clusterId, version, nodePool }: Upgrade): Candidate | undefined {
  const candidates = verdicts.find((each) => each.clusterId === clusterId)?.candidates ?? [];
  return candidates.find((each) => each.version === version && each.nodePool === nodePool);
}

describe('gates are closed by default', () => {
  it('nothing planned has a closed verdict', () => {
    holds(
      fc.property(fleets(), RULES, (fleet, rules) => {
        const decision = decide(factsOf(fleet, fleet.organizations[0]!.id), NOW, rules);
        for (const upgrade of upgradesOf(decision)) {
          const verdicts = candidateOf(decision, upgrade)?.verdicts ?? [];
          expect(verdicts).not.toEqual([]);
          expect(verdicts.filter(({ ok }) => !ok)).toEqual([]);
        }
      }),
    );
  });

  it.each(STAGES)('a gate of the stage %s that always says no stops every upgrade', (stage) => {
    holds(
      fc.property(fleets(), RULES, (fleet, rules) => {
        const decision = decide(factsOf(fleet, fleet.organizations[0]!.id), NOW, rules, gatesWith(stage));
        expect(upgradesOf(decision)).toEqual([]);
        for (const { verdicts } of decision.verdicts.flatMap(({ candidates }) => candidates))
          expect(verdicts).toContainEqual(expect.objectContaining({ gate: FROZEN, ok: false }));
      }),
    );
  });

  it.each(STAGES)('a gate of the stage %s that always says yes changes nothing but the list of verdicts', (stage) => {
    holds(
      fc.property(fleets(), RULES, (fleet, rules) => {
        const facts = factsOf(fleet, fleet.organizations[0]!.id);
        expect(decide(facts, NOW, rules, gatesWith(stage, true)).plan).toEqual(decide(facts, NOW, rules).plan);
      }),
    );
  });
});
