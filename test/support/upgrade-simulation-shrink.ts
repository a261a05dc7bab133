import type { Run } from './upgrade-simulation-run.ts';
import type { Scenario } from './upgrade-simulation-scenario.ts';

/** Parts of a scenario that can be left out. */
interface Part {
  readonly size: (scenario: Scenario) => number;
  readonly without: (scenario: Scenario, isLeftOut: (index: number) => boolean) => Scenario;
}

const PARTS: readonly Part[] = [
  {
    size: ({ passes }) => passes.length,
    without: (scenario, out) => ({ ...scenario, passes: scenario.passes.filter((_, index) => !out(index)) }),
  },
  {
    size: ({ organizations }) => organizations.flatMap(({ clusters }) => clusters).length,
    without: (scenario, out) => {
      let index = -1;
      const organizations = scenario.organizations.map(({ clusters, ...organization }) => ({
        ...organization,
        clusters: clusters.filter(() => {
          index += 1;
          return !out(index);
        }),
      }));
      return { ...scenario, organizations };
    },
  },
  {
    size: ({ events }) => events.length,
    without: (scenario, out) => ({ ...scenario, events: scenario.events.filter((_, index) => !out(index)) }),
  },
  {
    size: ({ actions }) => actions.length,
    without: (scenario, out) => ({ ...scenario, actions: scenario.actions.filter((_, index) => !out(index)) }),
  },
  {
    size: ({ passes }) => passes.flatMap(({ faults }) => faults).length,
    without: (scenario, out) => {
      let index = -1;
      const passes = scenario.passes.map(({ faults, ...pass }) => ({
        ...pass,
        faults: faults.filter(() => {
          index += 1;
          return !out(index);
        }),
      }));
      return { ...scenario, passes };
    },
  },
];

export interface Shrunk {
  readonly scenario: Scenario;
  readonly run: Run;
  /** How many were tried. */
  readonly runs: number;
}

/** Leaves out what is not needed to break the same promise: large pieces first, as long as there is time. */
export async function shrink(
  scenario: Scenario,
  run: Run,
  simulate: (scenario: Scenario) => Promise<Run>,
  isTimeLeft: () => boolean,
): Promise<Shrunk> {
  let best: Shrunk = { scenario, run, runs: 0 };
  const isBetter = async (candidate: Scenario): Promise<boolean> => {
    const tried = await simulate(candidate);
    best = { ...best, runs: best.runs + 1 };
    if (tried.broken?.promise !== run.broken?.promise) return false;
    best = { scenario: candidate, run: tried, runs: best.runs };
    return true;
  };
  await isBetter({ ...scenario, passes: scenario.passes.slice(0, run.passes) });
  for (const part of PARTS) await shrinkPart(part, () => best.scenario, isBetter, isTimeLeft);
  return best;
}

async function shrinkPart(
  { size, without }: Part,
  best: () => Scenario,
  isBetter: (candidate: Scenario) => Promise<boolean>,
  isTimeLeft: () => boolean,
): Promise<void> {
  for (let length = Math.ceil(size(best()) / 2); length >= 1; length = Math.floor(length / 2)) {
    for (let from = 0; from < size(best()) && isTimeLeft(); ) {
      const [first, end] = [from, from + length];
      const isShorter = await isBetter(without(best(), (index) => index >= first && index < end));
      if (!isShorter) from = end;
    }
  }
}
