import * as z from 'zod';
import { cleanMembers } from '../policies/csv.ts';
import { type Labels, organizationKey } from '../policies/label-keys.ts';
import { MAX_MEMBERS } from '../policies/policy-fields.ts';

/** Regular expressions, in a file. */
export const versionBlocksShape = z.array(z.string()).max(MAX_MEMBERS);

export interface BlockEdit {
  readonly block: readonly string[];
  readonly unblock: readonly string[];
  /** Replaces all existing blocks. */
  readonly replace: boolean;
}

/** The blocks after the edit: existing ones first, in their order. */
export function editBlocks(current: readonly string[], { block, unblock, replace }: BlockEdit): readonly string[] {
  const gone = new Set(unblock.map(withoutCommas));
  const wanted = [...(replace ? [] : current), ...block.map(withoutCommas)];
  return cleanMembers(wanted).members.filter((pattern) => !gone.has(pattern));
}

/** An empty list is kept as an empty value: it is a decision to block nothing. */
export function blockLabels(blocks: readonly string[], current: Labels): Labels {
  const key = organizationKey('blockedVersions');
  return blocks.length === 0 && current[key] === undefined ? {} : { [key]: blocks.join(',') };
}

export function isBlockKey(key: string): boolean {
  return key === organizationKey('blockedVersions');
}

/** Patterns as in the label, invalid ones too: it must be possible to unblock them. */
export function blocksIn(labels: Labels): string[] {
  const members = (labels[organizationKey('blockedVersions')] ?? '').split(',').map((member) => member.trim());
  return [...new Set(members.filter((member) => member !== ''))];
}

/** Blanks and commas around a pattern are typing leftovers. */
function withoutCommas(pattern: string): string {
  return pattern.replaceAll(/^[\s,]+|[\s,]+$/g, '');
}
