import { isUtf8 } from 'node:buffer';
import { YAMLException } from 'js-yaml';
import { humanBytes, isJson, messageOf } from '../base/index.ts';
import type { Problem } from './problem.ts';
import { duplicateKeys, firstDocument, lineAndColumn, positions } from './yaml/layout.ts';
import { loadYaml, MAX_FIELDS, YamlFault } from './yaml/yaml11.ts';

/** Duplicate keys reported per file. */
const MAX_DUPLICATES = 100;

type FileProblem = Omit<Problem, 'file'>;

interface ParsedDatafile {
  readonly content?: Readonly<Record<string, unknown>>;
  readonly problems: readonly FileProblem[];
}

/** Parses one datafile: JSON by its extension, everything else as YAML 1.1. Invalid content never throws. */
export function parseDatafile(name: string, bytes: Buffer): ParsedDatafile {
  const unreadable = refuseBytes(bytes);
  if (unreadable !== undefined) return { problems: [unreadable] };
  const text = withoutBom(bytes.toString('utf8'));
  if (text.trim() === '') return { problems: [EMPTY] };
  return name.endsWith('.json') ? parseJson(text) : parseYaml(text);
}

/** Removes the byte order mark that some editors write. */
export function withoutBom(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

const EMPTY: FileProblem = {
  rule: 'empty-file',
  severity: 'error',
  line: 1,
  column: 1,
  message: 'the file is empty',
  hint: 'add $schema and fields, or remove the file',
};

function refuseBytes(bytes: Buffer): FileProblem | undefined {
  const tooLarge = oversize(bytes.length);
  if (tooLarge !== undefined) return tooLarge;
  if (isUtf8(bytes)) return undefined;
  return {
    rule: 'not-utf8',
    severity: 'error',
    message: 'the file is not UTF-8 text',
    hint: 'save it as UTF-8, or move it below resources/ if it is not data',
  };
}

function parseJson(text: string): ParsedDatafile {
  try {
    const value = JSON.parse(text);
    return asMapping(value, [...duplicateKeyProblems(text), ...longListProblems(text, value)]);
  } catch (thrown) {
    return { problems: [jsonProblem(text, thrown)] };
  }
}

function jsonProblem(text: string, thrown: unknown): FileProblem {
  if (thrown instanceof YamlFault && isCrowded(thrown)) return crowded(thrown.message);
  if (thrown instanceof YAMLException) {
    return syntaxProblem('json-syntax', text, thrown.reason, thrown.mark?.position ?? 0);
  }
  const message = messageOf(thrown);
  return syntaxProblem('json-syntax', text, jsonReason(message), jsonOffset(text, message));
}

/** Node's message quotes some of the text; the reason comes before it. */
export function jsonReason(message: string): string {
  return message
    .replace(/, (?:\.\.\.)?".*$/s, '')
    .replace(/ (?:in JSON )?at position.*$/s, '')
    .replaceAll('\n', '\\n');
}

/** Node reports the position of every error except an unexpected token. */
function jsonOffset(text: string, message: string): number {
  const position = / at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  return isTokenFault(message) ? misplacedToken(text) : text.trimEnd().length;
}

function isTokenFault(message: string): boolean {
  return message.startsWith('Unexpected token');
}

/** Text up to the token fails because it ends, text including the token fails because of the token. */
function misplacedToken(text: string): number {
  let [fits, fails] = [0, text.length];
  while (fails - fits > 1) {
    const middle = (fits + fails) >>> 1;
    if (isTokenFault(jsonFault(text.slice(0, middle)))) fails = middle;
    else fits = middle;
  }
  return fits;
}

function jsonFault(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (thrown) {
    return messageOf(thrown);
  }
}

function parseYaml(text: string): ParsedDatafile {
  try {
    const { value, hasDuplicateKeys } = loadYaml(text);
    const duplicates = hasDuplicateKeys ? duplicateKeyProblems(text) : [];
    return asMapping(value, [...duplicates, ...longListProblems(text, value)]);
  } catch (thrown) {
    if (!(thrown instanceof YamlFault)) throw thrown;
    if (isCrowded(thrown)) return { problems: [crowded(thrown.message)] };
    if (thrown.message.includes('input is empty')) return { problems: [EMPTY] };
    if (thrown.message.includes('alias') && thrown.offset === undefined) {
      return {
        problems: [
          { ...syntaxProblem('yaml-aliases', text, thrown.message, 0), hint: 'replace the aliases by their content' },
        ],
      };
    }
    return { problems: [syntaxProblem('yaml-syntax', text, thrown.message, thrown.offset ?? endOf(text, thrown))] };
  }
}

function isCrowded({ message }: YamlFault): boolean {
  return message.startsWith('the file has ');
}

function crowded(message: string): FileProblem {
  return { rule: 'file-too-large', severity: 'error', message, hint: TOO_LARGE };
}

/** A second document is only detected at its end; report where it starts. */
function endOf(text: string, fault: YamlFault): number {
  if (!fault.message.includes('single document')) return 0;
  const separator = /^(?:---|\.\.\.)(?=\s|$)/gm;
  separator.lastIndex = PREAMBLE.exec(text)?.[0].length ?? 0;
  return separator.exec(text)?.index ?? 0;
}

/** Comments, directives and the line that starts the first document. */
const PREAMBLE = /^(?:[ \t]*(?:#.*)?\r?\n|%.*\r?\n)*(?:---(?=\s))?/;

function syntaxProblem(rule: string, text: string, message: string, offset: number): FileProblem {
  return {
    rule,
    severity: 'error',
    ...lineAndColumn(text, offset),
    message: plainReason(message),
    hint: syntaxHint(message),
  };
}

/** The library's message, except for one that hides its usual cause. */
function plainReason(message: string): string {
  if (message.startsWith('deficient indentation')) {
    return 'a quote or bracket above is not closed, or the indentation is too small';
  }
  return message.split('\n')[0] ?? message;
}

function syntaxHint(message: string): string {
  if (message.includes('single document')) return 'put each document in a file of its own';
  if (message.includes('unknown') && message.includes('tag')) return 'remove the tag: datafiles hold plain data only';
  if (/\btab\b/.test(message)) return 'indent with spaces';
  if (message.includes('nesting')) return 'reduce the nesting';
  return 'check indentation, quotes and brackets on this and the previous line';
}

function asMapping(value: unknown, problems: readonly FileProblem[]): ParsedDatafile {
  if (!isJson(value)) {
    const found = Array.isArray(value) ? 'a list' : value === null ? 'nothing' : 'a single value';
    return {
      problems: [
        {
          rule: 'not-a-mapping',
          severity: 'error',
          line: 1,
          column: 1,
          message: `the file holds ${found}, not a mapping`,
          hint: 'a datafile is a mapping that begins with $schema',
        },
      ],
    };
  }
  return { content: value as Record<string, unknown>, problems };
}

/** The most entries of one list, as of the fields of a mapping. Reported until the next minor version, then refused. */
const MAX_ENTRIES = MAX_FIELDS;

function longListProblems(text: string, value: unknown): FileProblem[] {
  // An entry takes two characters at least.
  const longest = text.length >= MAX_ENTRIES * 2 ? longestList(value) : 0;
  if (longest <= MAX_ENTRIES) return [];
  const message = `the file has a list with ${longest} entries; the limit is ${MAX_ENTRIES}, an error from the next minor version on`;
  return [{ rule: 'file-too-large', severity: 'warning', message, hint: TOO_LARGE }];
}

function longestList(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let longest = Array.isArray(value) ? value.length : 0;
  for (const child of Object.values(value)) longest = Math.max(longest, longestList(child));
  return longest;
}

function duplicateKeyProblems(text: string): FileProblem[] {
  const position = positions(text);
  return duplicateKeys(firstDocument(text))
    .slice(0, MAX_DUPLICATES)
    .map((entry) => ({
      rule: 'duplicate-key',
      severity: 'error' as const,
      ...position(entry.keyOffset),
      message: `duplicate key ${entry.key} in this mapping; only the last one counts`,
      hint: 'keep one of them',
    }));
}

/** Datafiles are written by hand; a larger one is a mistake or an attack, and would hold up the manager. */
export const MAX_DATAFILE_BYTES = 1024 * 1024;

/** The problem of a file that is too large, known from its size without reading it. */
export function oversize(bytes: number): FileProblem | undefined {
  if (bytes <= MAX_DATAFILE_BYTES) return undefined;
  return {
    rule: 'file-too-large',
    severity: 'error',
    message: `the file has ${humanBytes(bytes)}; the limit for a datafile is ${humanBytes(MAX_DATAFILE_BYTES)}`,
    hint: TOO_LARGE,
  };
}

const TOO_LARGE = 'split it, or move it below resources/ if it is not data';

/** Whether a parsed JSON value has collections nested deeper than this. Itself not recursive, and linear. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const collections = level.filter((item): item is object => typeof item === 'object' && item !== null);
    if (collections.length > 0 && depth >= levels) return true;
    level = collections.flatMap((item): readonly unknown[] => Object.values(item));
  }
  return false;
}
