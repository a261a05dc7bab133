import { byText } from '../../base/index.ts';

export interface InheritanceOrder {
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
