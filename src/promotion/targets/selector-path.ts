import { EchelonError, isJson, type Json, nearest } from '../../base/index.ts';
import type { KeyPath, Snapshot } from '../../instance/index.ts';

/** One step of a path: a key, every item of a list, or the items with a value. */
export type Step =
  | { readonly by: 'key'; readonly key: string }
  | { readonly by: 'all' }
  | { readonly by: 'index'; readonly index: number }
  | { readonly by: 'value'; readonly key: string; readonly value: string };

const KEY = /[A-Za-z_$][\w$-]*/y;
const BRACKET = /\[(?:\*?|(?<index>\d+)|(?<key>[\w$.-]+)=(?:"(?<quoted>[^"]*)"|(?<plain>[^\]"]*)))\]/y;

/** What `parseSelectorPath` accepts, as a regular expression. */
export const SELECTOR_PATH_PATTERN = selectorPathPattern();

function selectorPathPattern(): string {
  const bracket = BRACKET.source.replaceAll(/\?<\w+>/g, '?:');
  return `^(?:${KEY.source}|${bracket})(?:\\.${KEY.source}|${bracket})*$`;
}

/** `resourceTemplates[url=https://github.com/o/r].targets[name=production].ref`; `[]` is every item. */
export function parseSelectorPath(text: string): readonly Step[] {
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) {
    const separated = text[at] === '.' && steps.length > 0;
    const from = separated ? at + 1 : at;
    const next = stepAt(text, from, { key: separated || steps.length === 0 });
    if (next === undefined) throw invalid(text, at);
    steps.push(next.step);
    at = next.end;
  }
  if (steps.length === 0) throw invalid(text, 0);
  return steps;
}

function stepAt(
  text: string,
  from: number,
  allowed: { readonly key: boolean },
): { step: Step; end: number } | undefined {
  KEY.lastIndex = from;
  const key = allowed.key ? KEY.exec(text)?.[0] : undefined;
  if (key !== undefined) return { step: { by: 'key', key }, end: from + key.length };
  BRACKET.lastIndex = from;
  const found = text[from - 1] === '.' ? null : BRACKET.exec(text);
  return found === null ? undefined : { step: bracketStep(found.groups ?? {}), end: from + found[0].length };
}

function bracketStep({ index, key, quoted, plain }: Readonly<Record<string, string | undefined>>): Step {
  if (index !== undefined) return { by: 'index', index: Number(index) };
  return key === undefined ? { by: 'all' } : { by: 'value', key, value: quoted ?? plain ?? '' };
}

function invalid(text: string, at: number): EchelonError {
  const where = at === 0 ? 'is invalid' : `is invalid from ${JSON.stringify(text.slice(at, at + 20))} on`;
  return new EchelonError({
    code: 'PROMOTION_PATH_INVALID',
    message: `the path ${text} ${where}`,
    hint: 'separate keys by dots; use [key=value] for an item of a list and [] for all items',
  });
}

/** The inverse of `parseSelectorPath`. */
export function selectorPathText(steps: readonly Step[]): string {
  let text = '';
  for (const step of steps) {
    if (step.by === 'key') text += text === '' ? step.key : `.${step.key}`;
    else text += `[${bracketText(step)}]`;
  }
  return text;
}

function bracketText(step: Exclude<Step, { by: 'key' }>): string {
  if (step.by === 'all') return '';
  if (step.by === 'index') return String(step.index);
  return `${step.key}=${/[\]"]/.test(step.value) ? `"${step.value}"` : step.value}`;
}

/** A node of the data, by datafile and keys. */
export interface Node {
  /** Path of the datafile, `/services/x.yml`. */
  readonly path: string;
  readonly keys: KeyPath;
  readonly value: unknown;
}

/** How far a path matched before it failed. */
export interface Miss {
  readonly path: string;
  /** The number of matched steps; the deepest miss explains the failure best. */
  readonly depth: number;
  readonly message: string;
}

interface Walked {
  readonly found: readonly Node[];
  readonly misses: readonly Miss[];
}

type Data = Pick<Snapshot, 'datafiles'>;

/** Every node that a path matches from the root of a datafile; follows `$ref` into other files. */
export function walkData(data: Data, path: string, steps: readonly Step[]): Walked {
  const top: Node = { path, keys: [], value: data.datafiles.get(path)?.content };
  let nodes: readonly Node[] = [top];
  const misses: Miss[] = [];
  for (const [depth, step] of steps.entries()) {
    const next = nodes.map((node) => ({ node, found: stepFrom(data, node, step) }));
    for (const { node, found } of next) {
      if (found.length === 0) misses.push({ path: node.path, depth, message: missText(data, node, steps, depth) });
    }
    nodes = next.flatMap(({ found }) => found);
  }
  return { found: nodes.map((node) => follow(data, node)).filter(({ value }) => value !== undefined), misses };
}

function stepFrom(data: Data, from: Node, step: Step): Node[] {
  const node = follow(data, from);
  if (step.by === 'key') {
    const value = isJson(node.value) ? node.value[step.key] : undefined;
    return value === undefined ? [] : [{ path: node.path, keys: [...node.keys, step.key], value }];
  }
  const items = itemsOf(node);
  if (step.by === 'index') return items.slice(step.index, step.index + 1);
  return step.by === 'all' ? items : items.filter((item) => valueAt(data, item, step.key) === step.value);
}

function itemsOf({ path, keys, value }: Node): Node[] {
  return Array.isArray(value) ? value.map((item, index) => ({ path, keys: [...keys, index], value: item })) : [];
}

/** The content of the referenced file; anything else is returned unchanged. */
function follow(data: Data, node: Node): Node {
  const ref = refOf(node.value);
  const file = ref === undefined ? undefined : data.datafiles.get(ref);
  return file === undefined ? node : { path: file.path, keys: [], value: file.content };
}

function refOf(value: unknown): string | undefined {
  return isJson(value) && typeof value['$ref'] === 'string' ? value['$ref'] : undefined;
}

/** The value of a dotted key in an item as text; a reference is its path. */
function valueAt(data: Data, item: Node, dotted: string): string | undefined {
  let value: unknown = follow(data, item).value;
  for (const key of dotted.split('.')) value = isJson(value) ? value[key] : undefined;
  const shown = refOf(value) ?? value;
  return shown === undefined || typeof shown === 'object' ? undefined : String(shown);
}

const MOST_NAMED = 3;

/** `resourceTemplates[…].targets has no item with name production; it has stage and prod` */
function missText(data: Data, from: Node, steps: readonly Step[], depth: number): string {
  const step = steps[depth];
  const node = follow(data, from);
  const at = depth === 0 ? 'the file' : selectorPathText(steps.slice(0, depth));
  if (step?.by === 'key') {
    const keys = isJson(node.value) ? Object.keys(node.value as Json) : [];
    const close = nearest(step.key, keys);
    return `${at} has no ${step.key}${close.length === 0 ? '' : `; it has ${close.join(' and ')}`}`;
  }
  if (step?.by !== 'value') return `${at} has no ${step?.by === 'index' ? `item ${step.index}` : 'items'}`;
  const there = itemsOf(node)
    .map((item) => valueAt(data, item, step.key))
    .filter((value) => value !== undefined);
  const close = nearest(step.value, there);
  const named = (close.length === 0 ? [...new Set(there)] : close).slice(0, MOST_NAMED);
  return `${at} has no item with ${step.key} ${step.value}${named.length === 0 ? '' : `; it has ${named.join(', ')}`}`;
}
