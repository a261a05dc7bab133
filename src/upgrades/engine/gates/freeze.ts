import { memoize } from '../../../base/index.ts';
import {
  broken,
  type Freeze,
  freezeBetween,
  freezeText,
  type Instant,
  parseFreeze,
  pass,
  wait,
} from '../../../gates/index.ts';
import type { UpgradePolicy } from '../../policies/org-spec.ts';
import type { PassContext } from '../context.ts';
import { CLUSTER_TIMING, dueAt } from '../schedule.ts';
import type { ClusterGate, UpgradeVerdict } from '../upgrade-gate.ts';

const NONE = pass('freeze', 'no freeze');
const IGNORED = pass('freeze', 'freezes are ignored');

/** In a freeze of the organization or of the cluster no upgrade is scheduled, nor one that would start in it. */
export function freezeGate(
  { freezes, schedule }: Pick<UpgradePolicy, 'freezes' | 'schedule'>,
  context: PassContext,
): UpgradeVerdict {
  if ((freezes ?? []).length + context.facts.freezes.length === 0) return NONE;
  if (!context.rules.freezes) return IGNORED;
  const { now, dialect } = context;
  const due = dueAt(schedule, now, { dialect });
  return frozen(freezes, { start: now, end: due.due ? due.slot : now }, context) ?? NONE;
}

/** The verdict on what would begin between two times; undefined when no freeze touches them. */
export function frozen(
  ofCluster: readonly string[] = [],
  { start, end }: { readonly start: Instant; readonly end: Instant },
  { facts }: { readonly facts: Pick<PassContext['facts'], 'freezes'> },
): UpgradeVerdict | undefined {
  const freezes: Freeze[] = [];
  for (const [owner, texts] of [['organization', facts.freezes] as const, ['cluster', ofCluster] as const]) {
    for (const text of texts) {
      const freeze = freezeOf(text);
      if ('fault' in freeze) return broken('freeze', owner, `${JSON.stringify(text)} is not a freeze: ${freeze.fault}`);
      freezes.push(freeze);
    }
  }
  const found = freezeBetween(freezes, start, end);
  if (found === undefined) return undefined;
  const { freeze, until } = found;
  const what = start < freeze.from ? 'a freeze begins before it would start' : 'a freeze';
  return wait('freeze', `${what}: ${freezeText(freeze, until)}`, { until });
}

const freezeOf = memoize(1_000, parseFreeze);

/** A freeze matters only from a window before it on; from then on every slot does. */
function steadyUntil(
  { freezes = [], schedule }: Pick<UpgradePolicy, 'freezes' | 'schedule'>,
  { facts, rules, now, dialect }: PassContext,
): number {
  const coming = [...facts.freezes, ...freezes].map(freezeOf).filter((each) => 'fault' in each || each.until > now);
  if (!rules.freezes || coming.length === 0) return Number.POSITIVE_INFINITY;
  const from = Math.min(...coming.map((each) => ('fault' in each ? now : each.from)));
  const near = from - CLUSTER_TIMING.window;
  if (near > now) return near;
  const due = dueAt(schedule, now, { dialect });
  const slot = 'fault' in due ? [] : [due.due ? due.slot - CLUSTER_TIMING.lead : due.opens];
  const ends = coming.flatMap((each) => ('fault' in each ? [] : [each.from, each.until]));
  return Math.min(...[...slot, ...ends].filter((at) => at > now));
}

export const freezeRow: ClusterGate = {
  name: 'freeze',
  awaited: 'for the end of a freeze',
  stage: 'window',
  influences: ['window'],
  steadyUntil: ({ cluster: { policy } }, context) => steadyUntil(policy, context),
  judge: ({ cluster }, context) => freezeGate(cluster.policy, context),
  opens: () => 'that freeze is fixed',
};
