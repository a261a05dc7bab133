import { agedProblems, shardsView, upgradesView } from '../../src/console/derive.ts';
import type { ConsoleState, Observed, ShardsData, UpgradesData } from '../../src/console/state.ts';
import { instantOf } from '../../src/gates/index.ts';

/** What a console has observed. */
export interface ConsoleFacts extends Omit<ConsoleState, 'upgrades' | 'shards' | 'problems'> {
  readonly upgrades: Observed<UpgradesData>;
  readonly shards: Observed<ShardsData>;
}

const START = instantOf(Date.parse('2026-03-02T10:00:00Z'));
const ABSENT = { kind: 'absent', message: '', hint: '' } as const;

/** Observations of a console that has just started, and has seen nothing but what is given. */
export function consoleFacts(given: Partial<ConsoleFacts>): ConsoleFacts {
  return {
    ...{ startedAt: START, version: 0, refreshSeconds: 300, versionChanges: new Map(), links: [] },
    ...{ upgrades: ABSENT, shards: ABSENT, ...given },
  };
}

/** The state that a watch makes of observations. */
export function consoleState(facts: ConsoleFacts): ConsoleState {
  const halves = { upgrades: derived(facts.upgrades, upgradesView), shards: derived(facts.shards, shardsView) };
  return { ...facts, ...halves, problems: agedProblems(halves, [], facts.startedAt) };
}

function derived<Data, View>(half: Observed<Data>, view: (data: Data) => View): Observed<View> {
  return half.kind === 'known' ? { ...half, data: view(half.data) } : half;
}
