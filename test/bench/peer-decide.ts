import { decide } from '../../src/upgrades/engine/decide.ts';
import { QONTRACT_RULES } from '../../src/upgrades/engine/rules.ts';
import { incumbentLines, incumbentPython } from '../support/incumbent.ts';
import { factsOf, spokenPlan } from '../support/incumbent-plans.ts';
import { at } from '../support/upgrade-facts.ts';
import { median } from './measure.ts';
import { peerFleet } from './peer-fleet.ts';

/**
 * Decides organizations of so many clusters × 20 versions, beside the functions of the published scheduler on the same data:
 * in both from objects in memory to a plan, in the process, after imports and a warm-up. Both plans must be equal. Prints JSON.
 */
const SIZES = process.argv.slice(2).map(Number);
const WARM_UP = 50;
const ROUNDS = 15;

interface Answer {
  readonly passes: readonly unknown[];
  readonly milliseconds: number;
}

const fleets = [WARM_UP, ...SIZES].map(peerFleet);
const answers = (await incumbentLines(
  await incumbentPython(),
  ['decide.py', '--times'],
  fleets.map((fleet) => JSON.stringify(fleet)),
)) as Answer[];

const sample: Record<string, number> = {};
for (const [index, fleet] of fleets.entries()) {
  const [pass] = fleet.passes;
  if (pass === undefined) throw new Error('a fleet without a pass');
  const facts = factsOf(fleet, pass);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    const decision = decide(facts, at(pass.now), QONTRACT_RULES);
    times.push(performance.now() - started);
    const ours = JSON.stringify([spokenPlan(decision)]);
    if (ours !== JSON.stringify(answers[index]?.passes)) throw new Error(`${pass.clusters.length}: other plans`);
    if (decision.plan.length === 0) throw new Error('a plan without upgrades');
  }
  sample[`echelon-${pass.clusters.length}`] = median(times);
  sample[`incumbent-${pass.clusters.length}`] = answers[index]?.milliseconds ?? Number.NaN;
}
console.log(JSON.stringify(sample));
