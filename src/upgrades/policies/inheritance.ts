import type { OrgId } from '../../instance/index.ts';
import { organizationKey } from './label-keys.ts';
import type { InheritedFrom } from './org-spec.ts';
import { error, type Fault } from './problem.ts';

/** What an organization says about sharing its history. */
export interface Sharing {
  readonly environment: string;
  readonly inherit: readonly string[];
  readonly publish: readonly string[];
}

export interface Inheritance {
  /** These publish to the organization. */
  readonly verified: readonly InheritedFrom[];
  /** These do not, or are not known: their environment is then `unknown`. */
  readonly unverified: readonly InheritedFrom[];
}

const NOTHING: Inheritance = { verified: [], unverified: [] };
const UNKNOWN = 'unknown';

/** A history is inherited only from an organization that publishes it to this one. Contains only organizations that inherit. */
export function inheritanceNetwork(organizations: ReadonlyMap<string, Sharing>): ReadonlyMap<string, Inheritance> {
  const publishesTo = new Map([...organizations].map(([id, { publish }]) => [id, new Set(publish)]));
  const network = new Map<string, Inheritance>();
  for (const [id, { inherit }] of organizations) {
    if (inherit.length === 0) continue;
    const sources = inherit.map((source) => ({
      environment: organizations.get(source)?.environment ?? UNKNOWN,
      orgId: source as OrgId,
    }));
    const isVerified = ({ orgId }: InheritedFrom): boolean => publishesTo.get(orgId)?.has(id) ?? false;
    network.set(id, {
      verified: sources.filter(isVerified),
      unverified: sources.filter((source) => !isVerified(source)),
    });
  }
  return network;
}

/** The part of one organization, with its problems. */
export function inheritanceOf(
  id: string,
  network: ReadonlyMap<string, Inheritance>,
  key = organizationKey('inherit'),
): { readonly inherit: readonly InheritedFrom[]; readonly faults: readonly Fault[] } {
  const { verified, unverified } = network.get(id) ?? NOTHING;
  const isSelf = [...verified, ...unverified].some(({ orgId }) => orgId === id);
  const others = unverified.filter(({ orgId }) => orgId !== id).map(({ orgId }) => orgId);
  return {
    inherit: verified.filter(({ orgId }) => orgId !== id),
    faults: [
      ...(isSelf ? [error(key, 'the organization inherits from itself', `remove ${id}`)] : []),
      ...(others.length === 0 ? [] : [notPublished(id, key, others)]),
    ],
  };
}

function notPublished(id: string, key: string, sources: readonly string[]): Fault {
  const told = `no history published to this organization by ${sources.toSorted().join(', ')}`;
  return error(key, told, `have ${id} added to ${organizationKey('publish')} there, or remove them here`);
}
