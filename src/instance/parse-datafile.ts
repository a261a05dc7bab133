import { isUtf8 } from 'node:buffer';
import { humanBytes, messageOf } from '../base/index.ts';
import type { Severity } from './problem.ts';
import { duplicateKeys, lineAndColumn, sourceTree } from './yaml/source-tree.ts';
import { loadYaml, YamlFault } from './yaml/yaml11.ts';

/** A datafile is written by people; what is larger is a mistake or an attack. */
export const MAX_DATAFILE_BYTES = 16 * 1024 * 1024;

export interface FileProblem {
  readonly rule: string;
  readonly severity: Severity;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  readonly hint: string;
}

export interface ParsedDatafile {
  readonly content?: Readonly<Record<string, unknown>>;
  readonly problems: readonly FileProblem[];
}

/** Reads one datafile. Never throws for what is in the file; JSON by its name, everything else is YAML 1.1. */
export function parseDatafile(name: string, bytes: Buffer): ParsedDatafile {
  const unreadable = refuseBytes(bytes);
  if (unreadable !== undefined) return { problems: [unreadable] };
  const text = withoutBom(bytes.toString('utf8'));
  if (text.trim() === '') return { problems: [EMPTY] };
  return name.endsWith('.json') ? parseJson(text) : parseYaml(text);
}

/** Editors on some systems begin a file with U+FEFF; it is not part of the data. */
export function withoutBom(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

const EMPTY: FileProblem = {
  rule: 'empty-file',
  severity: 'error',
  line: 1,
  column: 1,
  message: 'the file is empty',
  hint: 'give it a $schema and its fields, or remove it',
};

/** The problem of a file with too many bytes, told by its size alone so that it need not be read. */
export function oversize(bytes: number): FileProblem | undefined {
  if (bytes <= MAX_DATAFILE_BYTES) return undefined;
  return {
    rule: 'file-too-large',
    severity: 'error',
    message: `the file has ${humanBytes(bytes)}; a datafile may have ${humanBytes(MAX_DATAFILE_BYTES)}`,
    hint: 'split it, or move it below resources/ if it is not data',
  };
}

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
    return asMapping(JSON.parse(text), duplicateKeyProblems(text));
  } catch (thrown) {
    return { problems: [syntaxProblem('json-syntax', text, jsonReason(messageOf(thrown)), jsonOffset(text, thrown))] };
  }
}

/** The runtime repeats the text of a short file in its message; the reason stands before it. */
function jsonReason(message: string): string {
  return message.replace(/, ".*$/s, '').replace(/ in JSON at position.*$/s, '');
}

/** The runtime tells the position in long texts only; the YAML reader finds it in the others. */
function jsonOffset(text: string, thrown: unknown): number {
  const position = /position (\d+)/.exec(messageOf(thrown))?.[1];
  if (position !== undefined) return Number(position);
  try {
    loadYaml(text);
    return 0;
  } catch (fault) {
    return fault instanceof YamlFault ? (fault.offset ?? 0) : 0;
  }
}

function parseYaml(text: string): ParsedDatafile {
  try {
    const { value, hasDuplicateKeys } = loadYaml(text);
    return asMapping(value, hasDuplicateKeys ? duplicateKeyProblems(text) : []);
  } catch (thrown) {
    if (!(thrown instanceof YamlFault)) throw thrown;
    if (thrown.message.includes('input is empty')) return { problems: [EMPTY] };
    if (thrown.message.includes('alias') && thrown.offset === undefined) {
      return { problems: [{ ...syntaxProblem('yaml-aliases', text, thrown.message, 0), hint: 'write the nodes out' }] };
    }
    return { problems: [syntaxProblem('yaml-syntax', text, thrown.message, thrown.offset ?? endOf(text, thrown))] };
  }
}

/** A second document is found only at its end; point at where it begins. */
function endOf(text: string, fault: YamlFault): number {
  const second = /single document/.test(fault.message) ? /\n---/.exec(text) : null;
  return second === null ? 0 : second.index + 1;
}

function syntaxProblem(rule: string, text: string, message: string, offset: number): FileProblem {
  return {
    rule,
    severity: 'error',
    ...lineAndColumn(text, offset),
    message: message.split('\n')[0] ?? message,
    hint: syntaxHint(message),
  };
}

function syntaxHint(message: string): string {
  if (message.includes('single document')) return 'put each document in a file of its own';
  if (message.includes('unknown') && message.includes('tag')) return 'remove the tag: datafiles hold plain data only';
  if (message.includes('tab')) return 'indent with spaces';
  return 'check indentation, quotes and brackets on this line and the one before';
}

function asMapping(value: unknown, problems: readonly FileProblem[]): ParsedDatafile {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const found = Array.isArray(value) ? 'a list' : value === null ? 'nothing but comments' : 'a single value';
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

function duplicateKeyProblems(text: string): FileProblem[] {
  return duplicateKeys(sourceTree(text)).map((entry) => ({
    rule: 'duplicate-key',
    severity: 'error' as const,
    ...lineAndColumn(text, entry.keyOffset),
    message: `the key ${entry.key} stands twice in this mapping; only the last one counts`,
    hint: 'keep one of them',
  }));
}
