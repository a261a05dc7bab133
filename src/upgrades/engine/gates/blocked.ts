import { broken, pass, wait } from '../../../gates/index.ts';
import type { UpgradePolicy } from '../../policies/org-spec.ts';
import type { Context } from '../context.ts';
import { findBlock } from '../patterns.ts';
import { type CandidateGate, poolsBySchedule, type UpgradeVerdict } from '../upgrade-gate.ts';

const OPEN = pass('blocked', 'no block matches');

/** A version is taken only if no pattern of the organization or of the cluster is found in it. */
export function blockedGate(
  policy: Pick<UpgradePolicy, 'blockedVersions'>,
  version: string,
  context: Context,
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
  const told = `block ${quoted(block.pattern)} of the ${owner}`;
  return 'fault' in block
    ? broken('blocked', owner, `the ${told} is no pattern: ${block.fault}`)
    : wait('blocked', `the ${told} matches`, { waitsOn: told });
}

/** As it was written, so that it can be copied; escaped only where it could be mistaken. */
function quoted(pattern: string): string {
  return /["\p{Cc}]/u.test(pattern) ? JSON.stringify(pattern) : `"${pattern}"`;
}

export const blockedRow: CandidateGate = {
  name: 'blocked',
  stage: 'version',
  concerns: poolsBySchedule,
  faultsFirst: true,
  bars: true,
  judge: ({ cluster, version }, context) => blockedGate(cluster.policy, version, context),
  opens: ({ fault, waitsOn = 'block' }) =>
    fault === undefined ? `the ${waitsOn} is taken away` : 'that pattern is put right',
};
