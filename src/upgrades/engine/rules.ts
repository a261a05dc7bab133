import { didYouMean, EchelonError } from '../../base/index.ts';
import { MICROS } from '../../gates/index.ts';

/** Where Echelon decides differently from the existing scheduler: what holds with the rule on, and with it off. */
const RULES = {
  observedSoakOnly: {
    on: 'a cluster earns soak only between two observations that both saw it healthy on the version; a cluster is its UUID',
    off: 'any gap is credited in full; a cluster is its name',
  },
  nodePoolsFollowSchedule: {
    on: 'node pools wait for the window and respect blocks and an upgrade in progress',
    off: 'node pools are upgraded immediately',
  },
  tryLowerWhenGated: {
    on: 'the next lower version is tried when a version gate has no agreement',
    off: 'the cluster waits',
  },
  mutexAcrossSectors: {
    on: 'a sector with a limit still honours mutexes held by clusters outside it',
    off: 'a limit ignores mutexes held outside the sector',
  },
  floorWithoutSector: {
    on: 'the inherited floor holds for every cluster',
    off: 'the inherited floor holds only for clusters with a sector',
  },
  floorNeedsHistory: {
    on: 'an organization whose history is inherited holds back those who inherit it until it was observed',
    off: 'without a history there is no inherited floor',
  },
  healthGate: {
    on: 'an enforced health error also stops upgrades of the cluster',
    off: 'a health error stops only soak',
  },
  cancelOnBlock: {
    on: 'an upgrade that Echelon scheduled and that has not started is deleted when its version becomes blocked',
    off: 'nothing is ever deleted',
  },
  freezes: {
    on: 'no upgrade is scheduled in a freeze, or to start in one; one of Echelon that would is deleted',
    off: 'there are no freezes',
  },
  strictPolicies: {
    on: 'lists are trimmed and have no blank or duplicate members; schedules have five fields and a future date',
    off: 'labels are taken as written',
  },
  isolateFaults: {
    on: 'an invalid policy holds only its own cluster',
    off: 'it stops the organization',
  },
  heldClustersCount: {
    on: 'a cluster that is not ready, or whose policy cannot be read, still counts in its sector and mutexes',
    off: 'it is ignored; one that is not ready is as if it were not there, whatever its policy',
  },
} as const;

export type RuleName = keyof typeof RULES;
export const RULE_NAMES = Object.keys(RULES) as readonly RuleName[];

export interface Rules extends Readonly<Record<RuleName, boolean>> {
  /** The most that one observation credits a cluster with, in microseconds; for `observedSoakOnly`. */
  readonly maxCreditedInterval: number;
}

const MAX_CREDITED_INTERVAL = MICROS.hour;

/** Exactly the named rules on. */
export function rulesWith(names: Iterable<RuleName>): Rules {
  const on = new Set(names);
  const flags = Object.fromEntries(RULE_NAMES.map((name) => [name, on.has(name)]));
  return { ...(flags as Record<RuleName, boolean>), maxCreditedInterval: MAX_CREDITED_INTERVAL };
}

export const DEFAULT_RULES: Rules = rulesWith(RULE_NAMES);
/** The decisions of the existing scheduler. */
export const QONTRACT_RULES: Rules = rulesWith([]);

/**
 * `default`, `qontract`, or a list such as `qontract,healthGate` or `default,-healthGate`. Names alone mean exactly these;
 * a list that starts by switching one off starts from the default.
 */
export function parseRules(text: string): Rules {
  const items = text.split(',').map((item) => item.trim());
  const startsFull = items[0] === 'default' || items[0]?.startsWith('-');
  const on = new Set<RuleName>(startsFull ? RULE_NAMES : []);
  const changes = items[0] === 'default' || items[0] === 'qontract' ? items.slice(1) : items;
  for (const change of changes) {
    if (change.startsWith('-')) on.delete(ruleName(change.slice(1)));
    else on.add(ruleName(change));
  }
  return rulesWith(on);
}

function ruleName(name: string): RuleName {
  const found = RULE_NAMES.find((each) => each === name);
  if (found !== undefined) return found;
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `--rules names ${JSON.stringify(name)}, which is not a rule`,
    hint: didYouMean(
      name,
      [...RULE_NAMES, 'default', 'qontract'],
      `use qontract, or some of: ${RULE_NAMES.join(', ')}`,
    ),
  });
}
