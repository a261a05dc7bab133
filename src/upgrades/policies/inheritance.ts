import { byText, defined } from '../../base/index.ts';
import type { OrgId } from '../../instance/index.ts';
import { organizationKey } from './label-keys.ts';
import { error, type Fault, type InheritedFrom, warning } from './org-spec.ts';

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

interface InheritanceOrder {
  /** Organizations of the same rank do not depend on each other; a source has a lower rank than who inherits from it. */
  readonly ranks: ReadonlyMap<string, number>;
  /** For each organization that inherits from itself through others: all of that circle, sorted. */
  readonly circles: ReadonlyMap<string, readonly string[]>;
}

/**
 * The order in which organizations are decided: sources first. A circle has no such order, so its members take turns by
 * id, and the first ones use what was stored before. Takes the sources of each; those that are not keys do not matter.
 */
export function inheritanceOrder(sources: ReadonlyMap<string, readonly string[]>): InheritanceOrder {
  const ranks = new Map<string, number>();
  const circles = new Map<string, readonly string[]>();
  for (const component of componentsOf(sources)) {
    const members = component.sort(byText);
    let rank = -1;
    for (const member of members) {
      for (const source of sources.get(member) ?? []) rank = Math.max(rank, ranks.get(source) ?? -1);
      rank += 1;
      ranks.set(member, rank);
      if (members.length > 1) circles.set(member, members);
    }
  }
  return { ranks, circles };
}

/** Strongly connected components, sources first. */
function componentsOf(sources: ReadonlyMap<string, readonly string[]>): string[][] {
  const search = new ComponentSearch(sources);
  for (const start of [...sources.keys()].sort(byText)) search.from(start);
  return search.components;
}

/** One that is being visited, and how many of its sources were. */
interface Visit {
  readonly id: string;
  next: number;
}

/** Tarjan's algorithm without recursion: chains can be long. */
class ComponentSearch {
  readonly components: string[][] = [];
  readonly #sources: ReadonlyMap<string, readonly string[]>;
  readonly #index = new Map<string, number>();
  readonly #lowest = new Map<string, number>();
  readonly #open: string[] = [];
  readonly #isOpen = new Set<string>();

  constructor(sources: ReadonlyMap<string, readonly string[]>) {
    this.#sources = sources;
  }

  from(start: string): void {
    if (this.#index.has(start)) return;
    const trail = [this.#enter(start)];
    for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
      const source = this.#sources.get(top.id)?.[top.next];
      top.next += 1;
      if (source === undefined) this.#leave(top, trail.at(-2));
      if (source === undefined) trail.pop();
      else if (this.#isNew(source)) trail.push(this.#enter(source));
      else if (this.#isOpen.has(source)) this.#lower(top.id, this.#index.get(source) ?? 0);
    }
  }

  #isNew(id: string): boolean {
    return this.#sources.has(id) && !this.#index.has(id);
  }

  #enter(id: string): Visit {
    const index = this.#index.size;
    this.#index.set(id, index);
    this.#lowest.set(id, index);
    this.#open.push(id);
    this.#isOpen.add(id);
    return { id, next: 0 };
  }

  #leave({ id }: Visit, heir: Visit | undefined): void {
    const lowest = this.#lowest.get(id) ?? 0;
    if (heir !== undefined) this.#lower(heir.id, lowest);
    if (lowest !== this.#index.get(id)) return;
    const component = this.#open.splice(this.#open.lastIndexOf(id));
    for (const member of component) this.#isOpen.delete(member);
    this.components.push(component);
  }

  #lower(id: string, to: number): void {
    this.#lowest.set(id, Math.min(this.#lowest.get(id) ?? to, to));
  }
}
