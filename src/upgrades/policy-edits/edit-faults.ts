import { lengthFaults } from '../policies/fields.ts';
import { cleanMembers, type Labels, PREFIX, SECTOR_LABELS, sectorKey } from '../policies/label-keys.ts';
import { parseOrganizationLabels } from '../policies/labels.ts';
import type { Fault } from '../policies/org-spec.ts';
import { cycleFault, cycleThrough, sectorCountFaults, sectorDependencies } from '../policies/sectors.ts';
import { type LabelChange, labelsAfter } from './label-diff.ts';

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
