import { byText } from '../../base/index.ts';
import { lengthFaults } from '../policies/fields.ts';
import {
  CLUSTER_LABELS,
  cleanMembers,
  clusterKey,
  type Labels,
  PREFIX,
  SECTOR_LABELS,
  sectorKey,
} from '../policies/label-keys.ts';
import { parseOrganizationLabels } from '../policies/labels.ts';
import type { Fault } from '../policies/org-spec.ts';
import { cycleFault, cycleThrough, sectorCountFaults, sectorDependencies } from '../policies/sectors.ts';
import type { PolicyApi, PolicyOwner } from './members.ts';

/** The changes of one cluster, or of the organization. */
export interface OwnerChanges {
  readonly owner: PolicyOwner;
  /** `cluster prod-1`, `organization 2Q0a…` */
  readonly title: string;
  readonly changes: readonly LabelChange[];
}

/** The progress of writing. */
export interface WrittenLabels {
  readonly done: number;
  /** `sre-capabilities.aus.schedule of cluster prod-1` */
  readonly last?: string;
  /** The error that stopped it. */
  readonly failure?: { readonly thrown: unknown };
}

/** Writes one by one; stops at the first error. Running it again writes only the rest. */
export async function writeLabels(api: PolicyApi, owners: readonly OwnerChanges[]): Promise<WrittenLabels> {
  let written: WrittenLabels = { done: 0 };
  try {
    for (const { owner, title, changes } of owners) {
      for (const change of changes) {
        await write(api, owner, change);
        written = { done: written.done + 1, last: `${change.key} of ${title}` };
      }
    }
    return written;
  } catch (thrown) {
    return { ...written, failure: { thrown } };
  }
}

async function write(api: PolicyApi, owner: PolicyOwner, change: LabelChange): Promise<void> {
  if (change.action === 'remove') await api.deleteLabel(owner, change.key);
  else if (change.action === 'add') await api.createLabel(owner, { key: change.key, value: change.to });
  else await api.updateLabel(owner, { key: change.key, value: change.to });
}

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

/**
 * Faults that an edit causes: in members that it adds, in lists that it makes longer, and by cycles that it closes. What
 * was wrong before does not count, so that errors can be repaired one by one and never stop an urgent edit.
 */
export function editFaults(current: Labels, changes: readonly LabelChange[]): Fault[] {
  const [before, after] = [sectorDependencies(current), sectorDependencies(labelsAfter(current, changes))];
  const faults = [
    ...changes.flatMap(addedFaults),
    ...(after.size > before.size ? sectorCountFaults(after.size) : []),
    ...closedCycle(before, after),
  ];
  return [...new Map(faults.map((fault) => [`${fault.key} ${fault.message}`, fault])).values()];
}

/** A label is read as if it had only what the edit adds to it. */
function addedFaults(change: LabelChange): readonly Fault[] {
  if (change.action === 'remove') return [];
  const { key, to } = change;
  const read = (text: string): readonly Fault[] => parseOrganizationLabels({ [key]: text }, { strict: true }).faults;
  if (change.action === 'add' || key.startsWith(LIMIT)) return read(to);
  const [was, will] = [change.from, to].map((text) => cleanMembers(text.split(',')).members);
  const known = new Set(was);
  const added = (will ?? []).filter((member) => !known.has(member));
  return [
    ...(added.length > 0 ? read(added.join(',')) : []),
    ...((will?.length ?? 0) > known.size ? lengthFaults(key, will ?? []) : []),
  ];
}

const LIMIT = PREFIX + SECTOR_LABELS.maxParallelUpgrades.suffix;

type Dependencies = ReturnType<typeof sectorDependencies>;

/** The first cycle through a dependency that is new. */
function closedCycle(before: Dependencies, after: Dependencies): Fault[] {
  for (const [sector, dependencies] of after) {
    const known = new Set(before.get(sector));
    const added = dependencies.filter((dependency) => !known.has(dependency));
    const cycle = added.length === 0 ? undefined : cycleThrough(sector, added, after);
    if (cycle !== undefined) return [cycleFault(cycle, sectorKey('dependencies', sector))];
  }
  return [];
}
