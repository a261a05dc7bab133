import type { Steps } from '../../base/index.ts';
import { jsonMessage } from './json-message.ts';

export type LogLevel = 'debug' | 'info' | 'warning' | 'error';

/** A message of a log and the number of its lines. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  readonly lines: number;
}

/** `[2026-08-21 10:22:51] [INFO] [DRY-RUN] [openshift_base.py:apply:429] - message`. */
const CONSOLE = /^\[\d{4}-\d\d-\d\d[ T][\d:.,]+\] \[([A-Z]+)\] (?:\[DRY-RUN\] )?\[[^\]]*\] - /;
/** `[INFO] message` in a log file; `INFO: message` where Jenkins Job Builder has changed the format. */
const LEVEL_ONLY = /^(?:\[(DEBUG|INFO|WARNING|ERROR|CRITICAL)\] |(DEBUG|INFO|WARNING|ERROR|CRITICAL): )/;
const TRACEBACK = 'Traceback (most recent call last):';
/** `/lib/x.py:12: DeprecationWarning: text`, which Python prints past the log. */
const PYTHON_WARNING = /^\S+:\d+: \w*Warning: /;

const LEVELS: Readonly<Record<string, LogLevel>> = {
  DEBUG: 'debug',
  WARNING: 'warning',
  WARN: 'warning',
  ERROR: 'error',
  CRITICAL: 'error',
  FATAL: 'error',
};

/** The lines of an output; what follows the last line end is a line only if it is not empty. */
export function linesOf(output: string): string[] {
  const lines = output.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

const LINES_PER_STEP = 1_000;

/**
 * The messages of an output, each line in exactly one. A line without a level continues the message before it, if that one
 * has a level; elsewhere it is a message of its own, since programs also print past their log.
 */
export function* entrySteps(output: string): Steps<LogEntry[]> {
  const entries: { level: LogLevel; parts: string[]; joins: boolean }[] = [];
  for (const [at, line] of linesOf(output).entries()) {
    if (at % LINES_PER_STEP === 0) yield;
    const begun = begunBy(line);
    const last = entries.at(-1);
    if (begun !== undefined) entries.push(begun);
    else if (last?.joins === true) last.parts.push(line);
    else entries.push({ level: 'info', parts: [line], joins: false });
  }
  return entries.map(({ level, parts }) => ({ level, message: parts.join('\n').trimEnd(), lines: parts.length }));
}

function begunBy(line: string): { level: LogLevel; parts: string[]; joins: boolean } | undefined {
  const prefix = CONSOLE.exec(line) ?? LEVEL_ONLY.exec(line);
  if (prefix !== null) {
    const level = LEVELS[prefix[1] ?? prefix[2] ?? ''] ?? 'info';
    return { level, parts: [line.slice(prefix[0].length)], joins: true };
  }
  if (line.startsWith(TRACEBACK)) return { level: 'error', parts: [line], joins: true };
  if (PYTHON_WARNING.test(line)) return { level: 'warning', parts: [line], joins: true };
  const json = jsonMessage(line);
  return json && { level: json.level, parts: [json.message], joins: false };
}
