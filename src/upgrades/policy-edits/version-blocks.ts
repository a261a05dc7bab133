import * as z from 'zod';
import { cleanMembers } from '../policies/csv.ts';
import { type Labels, organizationKey } from '../policies/label-keys.ts';
import { MAX_MEMBERS } from '../policies/policy-fields.ts';

/** Regular expressions, in a file. */
export const versionBlocksShape = z.array(z.string()).max(MAX_MEMBERS);

export interface BlockEdit {
  readonly block: readonly string[];
  readonly unblock: readonly string[];
  /** Only what is blocked here stays. */
  readonly replace: boolean;
}

/** The blocks after the edit: those that were there first, in their order. */
export function editBlocks(current: readonly string[], { block, unblock, replace }: BlockEdit): readonly string[] {
  const gone = new Set(unblock.map(withoutCommas));
  const wanted = [...(replace ? [] : current), ...block.map(withoutCommas)];
  return cleanMembers(wanted).members.filter((pattern) => !gone.has(pattern));
}

/** A list that became empty stays, as an empty value: somebody decided that nothing is blocked. */
export function blockLabels(blocks: readonly string[], current: Labels): Labels {
  const key = organizationKey('blockedVersions');
  return blocks.length === 0 && current[key] === undefined ? {} : { [key]: blocks.join(',') };
}

export function isBlockKey(key: string): boolean {
  return key === organizationKey('blockedVersions');
}

/** Patterns as the label has them, also one that is not a regular expression: it must be possible to unblock it. */
export function blocksIn(labels: Labels): string[] {
  const members = (labels[organizationKey('blockedVersions')] ?? '').split(',').map((member) => member.trim());
  return [...new Set(members.filter((member) => member !== ''))];
}

/** Blanks and commas around a pattern are left over from how it was typed. */
function withoutCommas(pattern: string): string {
  return pattern.replaceAll(/^[\s,]+|[\s,]+$/g, '');
}
