import type { Finding } from '../problem.ts';
import type { Snapshot } from '../snapshot.ts';
import { isUntyped, type LayoutNode, yamlLayout } from '../yaml/layout.ts';
import type { KeyPath } from '../yaml/source-tree.ts';

/** What a YAML 1.1 loader reads as a date or time; one that does not exist (`2024-13-45`) makes it fail at once. */
const DATE =
  /^(?:\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)$/;

/**
 * Dates without quotes. Echelon reads them as text; the existing bundler reads dates, which the JSON of a bundle
 * cannot contain, and stops. Only texts that are kept can be checked: a bundle was written, so it has none.
 */
export function unquotedDates(snapshot: Snapshot): Finding[] {
  return [...snapshot.datafiles.values()].flatMap(({ path, content }) => {
    const text = !path.endsWith('.json') && hasDate(content) ? snapshot.text(path) : undefined;
    return text === undefined ? [] : inText(path, text);
  });
}

/** The values do not say whether they were quoted, but only few files have to be parsed again. */
function hasDate(value: unknown): boolean {
  if (typeof value === 'string') return isDate(value);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasDate);
  for (const key in value) if (isDate(key) || hasDate(value[key as keyof typeof value])) return true;
  return false;
}

const DASH = 0x2d;

/** The year is followed by a dash: nearly every other text is ruled out without the pattern. */
function isDate(text: string): boolean {
  return text.charCodeAt(4) === DASH && DATE.test(text);
}

type Place = Pick<Finding, 'keys' | 'at'>;

function inText(path: string, text: string): Finding[] {
  const findings: Finding[] = [];
  const visit = (node: LayoutNode, place: Place): void => {
    for (const [child, at] of childrenOf(node, place.keys)) visit(child, at);
    if (node.kind !== 'scalar' || !isUntyped(node) || !isDate(node.text)) return;
    findings.push({ ...unquotedDate(node.text), path, ...place });
  };
  for (const root of yamlLayout(text)) visit(root, { keys: [] });
  return findings;
}

/** What is written below a node; the target of an alias is written elsewhere. */
function childrenOf(node: LayoutNode, keys: KeyPath): (readonly [LayoutNode, Place])[] {
  if (node.kind === 'sequence') return node.items.map((item, index) => [item, { keys: [...keys, index] }]);
  if (node.kind !== 'mapping') return [];
  return node.entries.flatMap(({ key, keyNode, value }) => [
    [keyNode, { keys: [...keys, key], at: 'key' }],
    [value, { keys: [...keys, key] }],
  ]);
}

function unquotedDate(text: string): Pick<Finding, 'rule' | 'severity' | 'message' | 'hint'> {
  return {
    rule: 'unquoted-date',
    severity: 'warning',
    message: `${text} is a date for the existing bundler, which cannot write it and stops; Echelon reads it as text`,
    hint: `quote it: '${text}'`,
  };
}
