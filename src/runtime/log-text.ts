import { escapeControls, isJson, type Json } from '../base/index.ts';
import type { LogLevel } from './pod-contract.ts';

/** The names that the existing runtime prints and that filters on shipped logs match. */
const LEVEL_NAMES: Readonly<Record<LogLevel, string>> = {
  debug: 'DEBUG',
  info: 'INFO',
  warn: 'WARNING',
  error: 'ERROR',
  fatal: 'CRITICAL',
};

export interface LogEntry {
  readonly at: Date;
  readonly level: LogLevel;
  readonly message: string;
  /** Plain data, without secrets. */
  readonly fields: Json;
}

/** `[2026-01-31 23:59:59] [INFO] [DRY-RUN] - message key=value`, in local time; stacks follow, indented. */
export function textLine(entry: LogEntry, dryRun: boolean): string {
  const mark = dryRun ? '[DRY-RUN] ' : '';
  const stacks = flat(entry.fields)
    .filter(([key]) => isStack(key))
    .flatMap(([, stack]) => String(stack).split(/\r?\n/))
    .map((line) => `\n    ${escapeControls(line.trim())}`);
  return `[${localTime(entry.at)}] [${LEVEL_NAMES[entry.level]}] ${mark}- ${messageAndFields(entry)}${stacks.join('')}\n`;
}

/** `message key=value`, or `[LEVEL] message key=value`: one line per event, as shipped to chat. */
export function fileLine(entry: LogEntry, prefixLevel: boolean): string {
  return `${prefixLevel ? `[${LEVEL_NAMES[entry.level]}] ` : ''}${messageAndFields(entry)}\n`;
}

function messageAndFields({ message, fields }: LogEntry): string {
  const pairs = flat(fields)
    .filter(([key]) => !isStack(key))
    .map(([key, value]) => `${escapeControls(key)}=${valueText(value)}`);
  return [escapeControls(message), ...pairs].join(' ');
}

function isStack(key: string): boolean {
  return key === 'stack' || key.endsWith('.stack');
}

/** Nested objects become dotted keys. */
function flat(fields: Json, prefix = ''): [string, unknown][] {
  return Object.entries(fields).flatMap(([key, value]): [string, unknown][] =>
    isJson(value) ? flat(value, `${prefix}${key}.`) : [[`${prefix}${key}`, value]],
  );
}

function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return typeof value === 'string' && !/^[^\s"=]+$/.test(text)
    ? escapeControls(JSON.stringify(text))
    : escapeControls(text);
}

function localTime(at: Date): string {
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}
