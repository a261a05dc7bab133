import type { Fields } from '../objects.ts';
import type { ListType, Type } from '../schema.ts';
import { internalError } from '../status.ts';
import { typeBelow } from './field-set.ts';
import { fieldsOf, isLeaf, listOf } from './leaf.ts';
import { elementText, fieldElement, itemElement, type PathElement } from './path-element.ts';

/** Lays what is applied over what is there; lists are merged by their keys, atomic values replaced. */
export function merge(live: unknown, applied: unknown, type: Type): unknown {
  if (isLeaf(live, applied, type)) return applied === undefined ? live : applied;
  if (type.kind === 'list') return mergeItems(listOf(live), listOf(applied), type);
  return mergeFields(fieldsOf(live), fieldsOf(applied), type);
}

function mergeFields(live: Fields, applied: Fields, type: Type): unknown {
  const result: Fields = {};
  for (const name of new Set([...Object.keys(live), ...Object.keys(applied)])) {
    const merged = merge(live[name], applied[name], typeBelow(type, fieldElement(name)));
    if (merged !== undefined) result[name] = merged;
  }
  return Object.keys(result).length === 0 ? undefined : result;
}

interface Side {
  readonly elements: readonly PathElement[];
  /** Null where several items have the same key. */
  readonly items: ReadonlyMap<PathElement, unknown>;
}

function sideOf(list: readonly unknown[], type: ListType): Side {
  const elements = list.map((item) => itemElement(type, item)).filter((element) => element !== undefined);
  const items = new Map<PathElement, unknown>();
  for (const [i, element] of elements.entries()) items.set(element, items.has(element) ? null : list[i]);
  return { elements, items };
}

/**
 * Items in the order in which they are applied; those that only live has keep their place among them.
 * Both lists are walked at once, and an item of both is taken when its turn in the applied list comes.
 */
function mergeItems(live: readonly unknown[], applied: readonly unknown[], type: ListType): unknown {
  const left = sideOf(live, type);
  const right = sideOf(applied, type);
  refuseRepeated(right);
  const shared = right.elements.filter((element) => left.items.has(element));
  const taken = new Set<PathElement>();
  const result: unknown[] = [];
  let l = 0;
  let r = 0;
  while (l < left.elements.length || r < right.elements.length) {
    const step = nextStep(left.elements[l], right.elements[r], { theirs: right.items, shared, taken });
    if (step.keep) push(result, merge(live[l], undefined, type.item));
    if (step.take !== undefined) {
      taken.add(step.take);
      if (shared[0] === step.take) shared.shift();
      push(result, merge(left.items.get(step.take), right.items.get(step.take), type.item));
      r += 1;
    }
    if (step.advance) l += 1;
  }
  return result.length === 0 ? undefined : result;
}

function refuseRepeated({ elements }: Side): void {
  const repeated = elements.find((element, i) => elements.indexOf(element) !== i);
  if (repeated !== undefined)
    throw internalError(`failed to create typed patch object: duplicate entries for key ${elementText(repeated)}`);
}

interface Course {
  readonly theirs: ReadonlyMap<PathElement, unknown>;
  /** Items of both that are still to come, in the applied order. */
  readonly shared: readonly PathElement[];
  readonly taken: ReadonlySet<PathElement>;
}

interface Step {
  /** The live item is kept as it is. */
  readonly keep: boolean;
  /** The applied item, merged with the live one of its key. */
  readonly take?: PathElement;
  /** To the next live item. */
  readonly advance: boolean;
}

function nextStep(mine: PathElement | undefined, theirs: PathElement | undefined, course: Course): Step {
  if (mine === undefined)
    return theirs === undefined ? { keep: false, advance: true } : { keep: false, take: theirs, advance: false };
  if (!course.theirs.has(mine)) return { keep: true, advance: true };
  if (mine === theirs) return { keep: false, take: theirs, advance: true };
  const [next] = course.shared;
  if (theirs === undefined || (next !== undefined && next !== mine)) return { keep: false, advance: true };
  return { keep: false, take: theirs, advance: course.taken.has(mine) };
}

function push(list: unknown[], value: unknown): void {
  if (value !== undefined) list.push(value);
}
