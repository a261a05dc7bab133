import { defined } from '../../base/index.ts';
import type { OrgId } from '../../instance/index.ts';
import { inheritanceOrder } from './inheritance-order.ts';
import { organizationKey } from './label-keys.ts';
import type { InheritedFrom } from './org-spec.ts';
import { error, type Fault, warning } from './problem.ts';

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
  /** Those who inherit from each other in a circle with the organization, itself among them. */
  readonly circle?: readonly string[];
}

const NOTHING: Inheritance = { verified: [], unverified: [] };
const UNKNOWN = 'unknown';
const MOST_NAMED = 10;

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
  return withCircles(network);
}

function withCircles(network: ReadonlyMap<string, Inheritance>): ReadonlyMap<string, Inheritance> {
  const sources = new Map([...network].map(([id, { verified }]) => [id, verified.map(({ orgId }) => orgId as string)]));
  const { circles } = inheritanceOrder(sources);
  if (circles.size === 0) return network;
  return new Map([...network].map(([id, each]) => [id, { ...each, ...defined({ circle: circles.get(id) }) }]));
}

/** The part of one organization, with its problems. */
export function inheritanceOf(
  id: string,
  network: ReadonlyMap<string, Inheritance>,
  key = organizationKey('inherit'),
): { readonly inherit: readonly InheritedFrom[]; readonly faults: readonly Fault[] } {
  const { verified, unverified, circle } = network.get(id) ?? NOTHING;
  const isSelf = [...verified, ...unverified].some(({ orgId }) => orgId === id);
  const others = unverified.filter(({ orgId }) => orgId !== id).map(({ orgId }) => orgId);
  return {
    inherit: verified.filter(({ orgId }) => orgId !== id),
    faults: [
      ...(isSelf ? [error(key, 'the organization inherits from itself', `remove ${id}`)] : []),
      ...(others.length === 0 ? [] : [notPublished(id, key, others)]),
      ...(circle === undefined ? [] : [inCircle(key, circle)]),
    ],
  };
}

const IN_CIRCLE = 'organizations inherit history from each other in a circle: ';

/** Whether this is the problem of organizations that inherit from each other. */
export function isCircle({ severity, message }: Fault): boolean {
  return severity === 'warning' && message.startsWith(IN_CIRCLE);
}

function inCircle(key: string, circle: readonly string[]): Fault {
  const shown = [...circle.slice(0, MOST_NAMED), ...(circle.length > MOST_NAMED ? ['…'] : [])].join(', ');
  return warning(
    key,
    IN_CIRCLE + shown,
    'remove one of these inheritances; until then some of them decide by histories of the pass before',
  );
}

function notPublished(id: string, key: string, sources: readonly string[]): Fault {
  const told = `no history published to this organization by ${sources.toSorted().join(', ')}`;
  return error(key, told, `have ${id} added to ${organizationKey('publish')} there, or remove them here`);
}
