import { describe, expect, it } from 'vitest';
import { fleetWith, managedOnce } from '../../test/support/fleet.ts';
import type { Capabilities } from './capabilities.ts';
import { expandShards } from './expand-shards.ts';

function findings(membership: string | undefined, own: readonly string[] | undefined, given: Capabilities = new Map()) {
  const sharding = { strategy: 'static', shards: 3, ...(membership === undefined ? {} : { membership }) };
  const instance = fleetWith({ '/mine.yml': managedOnce({ sharding, capabilities: own ?? null }) });
  const [integration] = instance.integrations;
  const [managed] = integration?.managed ?? [];
  return expandShards(instance, integration!, managed!, given).findings;
}

describe('rendezvous membership', () => {
  it.each([
    { given: 'is not declared', own: undefined },
    { given: 'is not among what is declared', own: ['SHARDS', '/healthz'] },
    { given: 'is declared in another case', own: ['shard_membership'] },
  ])('is refused when the capability $given', ({ own }) => {
    expect(findings('rendezvous', own)).toEqual([
      expect.objectContaining({
        rule: 'membership-unsupported',
        severity: 'error',
        keys: ['managed', 0, 'sharding', 'membership'],
        hint: expect.stringContaining("'SHARD_MEMBERSHIP'"),
      }),
    ]);
  });

  it('is accepted with the capability, in the file of the integration or in one given by the user', () => {
    expect(findings('rendezvous', ['SHARDS', 'SHARD_MEMBERSHIP'])).toEqual([]);
    expect(findings('rendezvous', undefined, new Map([['mine', ['SHARD_MEMBERSHIP']]]))).toEqual([]);
  });

  it('is refused when the own file of the integration does not have it, whatever a given file says', () => {
    expect(findings('rendezvous', ['SHARDS'], new Map([['mine', ['SHARD_MEMBERSHIP']]]))).toHaveLength(1);
  });

  it.each(['md5', undefined])('of %s needs no capability', (membership) => {
    expect(findings(membership, undefined)).toEqual([]);
  });
});
