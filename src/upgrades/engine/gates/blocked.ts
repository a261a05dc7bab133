import { broken, pass, wait } from '../../../gates/index.ts';
import { findBlock } from '../../policies/patterns.ts';
import type { PassContext } from '../context.ts';
import { poolsBySchedule, type Requirements, type SharedGate, type UpgradeVerdict } from '../upgrade-gate.ts';

const OPEN = pass('blocked', 'no block matches');

/** A version may be taken only if no block pattern of the organization or the cluster matches it. */
export function blockedGate(
  policy: Pick<Requirements, 'blockedVersions'>,
  version: string,
  context: { readonly facts: Pick<PassContext['facts'], 'blockedVersions'> },
): UpgradeVerdict {
  return (
    ownerBlocks('organization', context.facts.blockedVersions, version) ??
    ownerBlocks('cluster', policy.blockedVersions ?? [], version) ??
    OPEN
  );
}

function ownerBlocks(
  owner: 'organization' | 'cluster',
  patterns: readonly string[],
  version: string,
): UpgradeVerdict | undefined {
  const block = findBlock(patterns, version);
  if (block === undefined) return undefined;
  const subject = `block ${quoted(block.pattern)} of the ${owner}`;
  return 'fault' in block
    ? broken('blocked', owner, `the ${subject} is not a valid pattern: ${block.fault}`)
    : wait('blocked', `the ${subject} matches`, { waitsOn: subject });
}

/** As written, so that it can be copied; escaped only where it would be ambiguous. */
function quoted(pattern: string): string {
  return /["\p{Cc}]/u.test(pattern) ? JSON.stringify(pattern) : `"${pattern}"`;
}

export const blockedRow: SharedGate = {
  name: 'blocked',
  awaited: 'for a block to be removed',
  stage: 'version',
  influences: [],
  shared: true,
  concerns: poolsBySchedule,
  faultsFirst: true,
  bars: true,
  judge: ({ policy, version }, context) => blockedGate(policy, version, context),
  opens: ({ fault, waitsOn = 'block' }) =>
    fault === undefined ? `the ${waitsOn} is removed` : 'that pattern is fixed',
};
