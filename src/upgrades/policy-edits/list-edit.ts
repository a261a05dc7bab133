import * as z from 'zod';
import { MAX_MEMBERS } from '../policies/fields.ts';
import { cleanMembers, type Labels, organizationKey } from '../policies/label-keys.ts';

/** Regular expressions, or times without upgrades, in a file. */
export const organizationListShape = z.array(z.string()).max(MAX_MEMBERS);

/** The label that an edit is about. */
export type ListLabel = 'blockedVersions' | 'freezes';

/** Blocks or freezes of an organization, and what changes in them. */
export interface ListEdit {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  /** Replaces all existing ones. */
  readonly replace: boolean;
}

/** The list after the edit: existing members first, in their order. */
export function editList(label: ListLabel, current: readonly string[], edit: ListEdit): readonly string[] {
  const gone = new Set(edit.remove.map(withoutCommas));
  const wanted = [...(edit.replace ? [] : current), ...edit.add.map(withoutCommas)];
  return cleanMembers(wanted).members.filter((member) => !namesOf(label, member).some((name) => gone.has(name)));
}

/** An empty list is kept as an empty value: it is a decision to have none. */
export function listLabels(label: ListLabel, members: readonly string[], current: Labels): Labels {
  const key = organizationKey(label);
  return members.length === 0 && current[key] === undefined ? {} : { [key]: members.join(',') };
}

/** Members as in the label, invalid ones too: it must be possible to remove them. */
export function listIn(label: ListLabel, labels: Labels): string[] {
  const members = (labels[organizationKey(label)] ?? '').split(',').map((member) => member.trim());
  return [...new Set(members.filter((member) => member !== ''))];
}

/** A freeze is known by its times too: nobody types a reason twice. */
function namesOf(label: ListLabel, member: string): readonly string[] {
  return label === 'freezes' ? [member, member.replace(/=.*$/s, '').trim()] : [member];
}

/** Blanks and commas around a member are typing leftovers. */
function withoutCommas(member: string): string {
  return member.replaceAll(/^[\s,]+|[\s,]+$/g, '');
}
