import type { Finding, Integration, Managed } from '../instance/index.ts';
import { type Capabilities, CHOOSES_MEMBERSHIP } from './capabilities.ts';

/** An integration that does not know of it would go on by MD5, while users and other tools compute other owners. */
export function membershipFindings(
  { name, file }: Integration,
  { keys, sharding }: Managed,
  capabilities: Capabilities,
): Finding[] {
  if (sharding.membership !== 'rendezvous' || capabilities.get(name)?.includes(CHOOSES_MEMBERSHIP)) return [];
  return [
    {
      rule: 'membership-unsupported',
      severity: 'error',
      path: file,
      keys: [...keys, 'sharding', 'membership'],
      message: `${name} is not known to support rendezvous membership: it would assign keys to shards by MD5`,
      hint: `remove membership, or, if it reads ${CHOOSES_MEMBERSHIP}, add '${CHOOSES_MEMBERSHIP}' to its capabilities or to a --capabilities file`,
    },
  ];
}
