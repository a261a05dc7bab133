import { type Labels, organizationKey, sectorKey } from '../policies/label-keys.ts';
import { parseOrganizationLabels } from '../policies/labels.ts';
import { editFaults } from './edit-faults.ts';
import { refuseErrors } from './findings.ts';
import { editInheritance, type InheritanceJson, inheritanceLabels, isInheritanceKey } from './inheritance-edit.ts';
import { labelDiff } from './label-diff.ts';
import { editList, type ListEdit, type ListLabel, listIn, listLabels } from './list-edit.ts';
import { tornFaults } from './policy-json.ts';
import {
  editSectors,
  isSectorKey,
  ownSectors,
  type SectorEdit,
  sectorLabels,
  sectorNameFaults,
} from './sector-edit.ts';

/** The result of an edit of an organization's labels. */
interface EditedLabels {
  /** In file format. */
  readonly json: object;
  readonly labels: Labels;
}

/** An edit of some labels of an organization. */
export interface OrganizationEdit {
  /** Whether a label is the edit's to change. */
  managed(key: string): boolean;
  edit(current: Labels): EditedLabels;
}

/** Sets whose history an organization uses, and who may use its own. */
export function inheritanceEdit(given: InheritanceJson, replace: boolean): OrganizationEdit {
  return {
    managed: isInheritanceKey,
    edit: (current) => {
      const { inherit, publish } = parseOrganizationLabels(current, { strict: true });
      const json = editInheritance({ inherit: [...inherit], publish: [...publish] }, given, replace);
      return { json, labels: inheritanceLabels(json) };
    },
  };
}

/** Sets an organization's sectors. Refuses names and dependencies that labels cannot represent. */
export function sectorsEdit(edit: SectorEdit): OrganizationEdit {
  for (const { name, dependencies = [] } of edit.add) {
    const torn = tornFaults(sectorKey('dependencies', name), dependencies);
    refuseErrors(`sector ${name}`, [...sectorNameFaults(name), ...torn]);
  }
  return {
    managed: isSectorKey,
    edit: (current) => {
      const sectors = editSectors(ownSectors(current), edit);
      return { json: sectors, labels: sectorLabels(sectors, current) };
    },
  };
}

/** Blocks and unblocks versions for a whole organization. */
export function versionBlocksEdit(edit: ListEdit): OrganizationEdit {
  return listEdit('blockedVersions', edit);
}

/** Adds and removes freezes of a whole organization. */
export function freezesEdit(edit: ListEdit): OrganizationEdit {
  return listEdit('freezes', edit);
}

/** Refuses members that labels cannot represent. */
function listEdit(label: ListLabel, edit: ListEdit): OrganizationEdit {
  const key = organizationKey(label);
  refuseErrors('the list', tornFaults(key, editList(label, [], { ...edit, remove: [] })));
  return {
    managed: (each) => each === key,
    edit: (current) => {
      const members = editList(label, listIn(label, current), edit);
      return { json: members, labels: listLabels(label, members, current) };
    },
  };
}

/** The result of an edit in file format. Refuses what the scheduler would not accept, unless it was there before. */
export function editedJson({ edit, managed }: OrganizationEdit, current: Labels): object {
  const { json, labels } = edit(current);
  refuseErrors('this', editFaults(current, labelDiff(current, labels, managed)));
  return json;
}
