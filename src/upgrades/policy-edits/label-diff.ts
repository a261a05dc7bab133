import { byText } from '../../base/index.ts';
import { CLUSTER_LABELS, cleanMembers, clusterKey, type Labels, PREFIX } from '../policies/label-keys.ts';

/** One label to write or remove. */
export type LabelChange =
  | { readonly action: 'add'; readonly key: string; readonly to: string }
  | { readonly action: 'change'; readonly key: string; readonly from: string; readonly to: string }
  | { readonly action: 'remove'; readonly key: string; readonly from: string };

/** Labels whose value is one text, commas or not. */
const SINGLE: ReadonlySet<string> = new Set([clusterKey('schedule'), clusterKey('sector'), clusterKey('soakDays')]);

/**
 * The changes from the current labels to the desired ones. Only managed keys are ever removed, and a list with the same
 * members in another order is not changed: applying twice changes nothing.
 */
export function labelDiff(current: Labels, desired: Labels, managed: (key: string) => boolean): LabelChange[] {
  const written = Object.entries(desired).flatMap(([key, to]): LabelChange[] => {
    const from = current[key];
    if (from === undefined) return [{ action: 'add', key, to }];
    return same(key, from, to) ? [] : [{ action: 'change', key, from, to }];
  });
  const removed = Object.entries(current).flatMap(([key, from]): LabelChange[] =>
    key.startsWith(PREFIX) && managed(key) && desired[key] === undefined ? [{ action: 'remove', key, from }] : [],
  );
  return [...written, ...removed].sort((a, b) => byText(a.key, b.key));
}

/** The labels after the changes; to validate them before anything is written. */
export function labelsAfter(current: Labels, changes: readonly LabelChange[]): Labels {
  const after = new Map(Object.entries(current));
  for (const change of changes) {
    if (change.action === 'remove') after.delete(change.key);
    else after.set(change.key, change.to);
  }
  return Object.fromEntries(after);
}

/** Cluster labels that a policy without them removes; approvals are set elsewhere, and a freeze ends only when told to. */
const POLICY_KEYS: ReadonlySet<string> = new Set(
  Object.values(CLUSTER_LABELS)
    .map(({ suffix }) => PREFIX + suffix)
    .filter((key) => key !== clusterKey('versionGateApprovals') && key !== clusterKey('freezes')),
);

export function isPolicyKey(key: string): boolean {
  return POLICY_KEYS.has(key);
}

function same(key: string, from: string, to: string): boolean {
  if (from === to) return true;
  if (SINGLE.has(key)) return false;
  const [a, b] = [cleanMembers(from.split(',')), cleanMembers(to.split(','))];
  if (a.members.length === 0 || a.hasBlank || b.hasBlank) return false;
  return a.members.length === b.members.length && a.members.every((member) => b.members.includes(member));
}
