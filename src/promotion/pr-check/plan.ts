import { byText } from '../../base/index.ts';
import type { Capabilities } from '../../sharding/index.ts';
import type { Sides } from './explain-files.ts';
import { type NamedRun, nameRuns } from './log-names.ts';
import { type RunsOptions, runsOf } from './runs.ts';
import { type Choice, subjectsOf } from './select.ts';

interface PlanOptions extends RunsOptions {
  readonly capabilities?: Capabilities;
}

interface CheckPlan {
  /** In start order. */
  readonly runs: readonly NamedRun[];
  readonly notes: readonly { readonly integration: string; readonly text: string }[];
}

/** The runs of the selected integrations. */
export function planRuns(sides: Sides, choices: readonly Choice[], options: PlanOptions = {}): CheckPlan {
  const selected = new Set(choices.filter((choice) => choice.selected).map(({ file }) => file));
  const planned = subjectsOf(sides)
    .filter(({ integration }) => selected.has(integration.file))
    .map(({ integration, at }) => runsOf(sides[at].instance, integration, options));
  const runs = planned
    .flatMap((integration) => integration.runs)
    .toSorted((a, b) => orderOf(a) - orderOf(b) || byText(a.integration, b.integration));
  return {
    runs: nameRuns(runs),
    notes: planned.flatMap(({ integration, notes }) => notes.map((text) => ({ integration, text }))),
  };
}

/** Groups of runs that may run concurrently, in order. */
export function orderGroups<T extends { readonly order?: number }>(runs: readonly T[]): readonly T[][] {
  const groups = Map.groupBy(runs, orderOf);
  return [...groups].sort(([a], [b]) => a - b).map(([, group]) => group);
}

function orderOf({ order = Number.MAX_SAFE_INTEGER }: { readonly order?: number }): number {
  return order;
}
