import { distance } from 'fastest-levenshtein';
import { didYouMean, type Suggest, shortened, suggestions } from '../../base/index.ts';
import { ALL_KINDS } from '../domain/kinds.ts';
import { danglingRef } from '../domain/reading.ts';
import type { Finding, KeyPath } from '../problem.ts';
import { type Datafile, refPath, type Snapshot } from '../snapshot.ts';
import { isUntyped, type LayoutNode, yamlLayout } from '../yaml/layout.ts';

/** Every `$ref` in a datafile must point to a datafile. */
export function danglingReferences(snapshot: Snapshot): Finding[] {
  const suggest = suggestions();
  return [...snapshot.datafiles.values()].flatMap((file) => danglingIn(snapshot, file, suggest));
}

function danglingIn(snapshot: Snapshot, file: Datafile, suggest: Suggest): Finding[] {
  const findings: Finding[] = [];
  eachReference(file.content, [], (target, keys) => {
    if (snapshot.datafiles.has(target) || snapshot.unreadable.has(target)) return;
    findings.push({
      severity: 'error',
      path: file.path,
      keys: [...keys, '$ref'],
      ...danglingRef(target, snapshot.datafiles, suggest),
    });
  });
  return findings;
}

/** `keys` is one stack for the whole walk, since most references are valid: copy it to keep it. */
function eachReference(
  value: object,
  keys: (string | number)[],
  report: (target: string, keys: readonly (string | number)[]) => void,
): void {
  const target = refPath(value);
  if (target !== undefined) report(target, keys);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) descend(value[index], index, keys, report);
    return;
  }
  for (const key of Object.keys(value)) descend(value[key as keyof typeof value], key, keys, report);
}

function descend(
  child: unknown,
  key: string | number,
  keys: (string | number)[],
  report: (target: string, keys: readonly (string | number)[]) => void,
): void {
  if (typeof child !== 'object' || child === null) return;
  keys.push(key);
  eachReference(child, keys, report);
  keys.pop();
}

const FORM = /^\/(?:[^/]+\/)*[^/]+-\d+\.(?:ya?ml|json)$/;

/**
 * Every datafile names its schema. Where the schemas are known it must be one of them; elsewhere only a name that
 * nearly equals one that Echelon reads is reported, since an instance may have schemas of its own.
 */
export function schemaNames(snapshot: Snapshot, known: ReadonlySet<string> | undefined): Finding[] {
  return [...snapshot.datafiles.values()].flatMap(({ path, schema, content }): Finding[] => {
    const at = { path, keys: ['$schema'] } as const;
    if (content['$schema'] === undefined) return [{ ...at, keys: [], ...MISSING }];
    if (schema === undefined || !FORM.test(schema)) return [{ ...at, ...malformed(content['$schema']) }];
    if (known !== undefined) return known.has(schema) ? [] : [{ ...at, ...unknown(schema, known, 'error') }];
    return almostKnown(schema) ? [{ ...at, ...unknown(schema, READ, 'warning') }] : [];
  });
}

const READ: ReadonlySet<string> = new Set(ALL_KINDS.map(({ schema }) => schema));

const MISSING = {
  rule: 'schema-missing',
  severity: 'error',
  message: 'the file has no $schema',
  hint: 'add $schema: /<domain>/<name>-<number>.yml, or move the file below resources/',
} as const;

function malformed(found: unknown) {
  return {
    rule: 'schema-unknown',
    severity: 'error',
    message: `$schema is ${shortened(JSON.stringify(found))}, not of the form /<domain>/<name>-<number>.yml`,
    hint: didYouMean(String(found), READ, 'use the path of a schema, with a leading slash'),
  } as const;
}

function unknown(schema: string, known: Iterable<string>, severity: 'error' | 'warning') {
  return {
    rule: 'schema-unknown',
    severity,
    message: `unknown schema ${schema}`,
    hint: didYouMean(schema, known, 'correct $schema, or update the schemas'),
  } as const;
}

/** `/app-sre/integrations-1.yml`: the same folder and number, with a name that differs by a letter or two. */
function almostKnown(schema: string): boolean {
  return !READ.has(schema) && [...READ].some((known) => isSlip(stemOf(known), stemOf(schema)));
}

/** `/aws/account` of `/aws/account-1.yml`. */
function stemOf(schema: string): string {
  return schema.replace(/-\d+\.\w+$/, '');
}

const SLIP = 2;

function isSlip(known: string, written: string): boolean {
  return known === written || distance(known, written) <= SLIP;
}

/** Texts that a YAML 1.1 loader reads as a date or time; one that does not exist (`2024-13-45`) makes it fail at once. */
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

/** The nodes directly below a node; an alias has none, its target is written elsewhere. */
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
