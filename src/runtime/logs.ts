import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { EchelonError, escapeControls, isJson, type Json, messageOf, Secrets } from '../base/index.ts';
import { type Clock, systemClock } from './clock.ts';
import { LOG_LEVELS, type LogFormat, type LogLevel } from './pod-contract.ts';

/** The fields of one event; objects, lists, dates and errors are written as data. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The message is a constant phrase; what varies goes into the fields. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A child logger: every event also has these fields. */
  child(fields: LogFields): Logger;
}

/** Discards all events. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};

export interface LoggerOptions {
  /** Events below it are not written. */
  readonly level: LogLevel;
  /** JSON lines, the default, or plain text. */
  readonly format?: LogFormat;
  /** Adds a dry-run field or prefix to every line. */
  readonly dryRun: boolean;
  /** A second destination: messages and fields only, without time. */
  readonly file?: string | undefined;
  /** Lines of that file begin with their level. */
  readonly prefixLevel?: boolean;
  readonly stdout: { write(text: string): void };
  /** Redacted from every line. */
  readonly secrets?: Secrets;
  readonly clock?: Clock;
}

/** A logger that may hold a file open. */
export interface RootLogger extends Logger {
  close(): void;
}

type WriteEntry = (entry: LogEntry) => void;

/** A logger whose every line has passed redaction. Loads pino only for JSON. */
export async function createLogger(options: LoggerOptions): Promise<RootLogger> {
  const secrets = options.secrets ?? new Secrets();
  const clock = options.clock ?? systemClock;
  const toStdout = options.format === 'text' ? textWriter(options, secrets) : await jsonWriter(options, secrets);
  const file = options.file === undefined ? undefined : openLogFile(options.file);
  const write: WriteEntry = (entry) => {
    toStdout(entry);
    const error = file === undefined ? undefined : writeToFile(file, entry, options, secrets);
    if (error !== undefined) toStdout({ ...entry, level: 'warn', message: 'cannot write log file', fields: { error } });
  };
  const log = (level: LogLevel, message: string, fields: LogFields): void => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(options.level)) return;
    write({ at: clock.now(), level, message: plainText(message, secrets), fields: plainFields(fields, secrets) });
  };
  return { ...loggerWith({}, log), close: () => file?.close() };
}

function loggerWith(own: LogFields, log: (level: LogLevel, message: string, fields: LogFields) => void): Logger {
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void =>
      log(level, message, { ...own, ...fields });
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => loggerWith({ ...own, ...fields }, log),
  };
}

function textWriter({ stdout, dryRun }: LoggerOptions, secrets: Secrets): WriteEntry {
  return (entry) => stdout.write(secrets.redact(textLine(entry, dryRun)));
}

function writeToFile(file: LogFile, entry: LogEntry, options: LoggerOptions, secrets: Secrets): string | undefined {
  return file.write(secrets.redact(fileLine(entry, options.prefixLevel ?? false)));
}

async function jsonWriter({ stdout, dryRun }: LoggerOptions, secrets: Secrets): Promise<WriteEntry> {
  const { pino } = await import('pino');
  const destination = { write: (line: string) => stdout.write(redactJsonLine(line, secrets)) };
  const out = pino(
    {
      level: 'debug',
      base: dryRun ? { dryRun } : null,
      formatters: { level: (level) => ({ level }) },
      timestamp: false,
    },
    destination,
  );
  return ({ at, level, message, fields }) => out[level]({ time: at.toISOString(), ...unreserved(fields) }, message);
}

const RESERVED = new Set(['level', 'time', 'msg', 'dryRun']);

/** Fields named like a key of the line get a `_`, since readers disagree about duplicate JSON keys. */
function unreserved(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [RESERVED.has(key) ? `${key}_` : key, value]));
}

/** Fields are redacted already; a secret that equals another part of the line, such as its level, leaves valid JSON. */
function redactJsonLine(line: string, secrets: Secrets): string {
  if (secrets.redact(line) === line) return line;
  return `${JSON.stringify(plainFields(JSON.parse(line), secrets))}\n`;
}

const LONGEST_TEXT = 8 * 1024;
const DEEPEST = 6;
const MOST_VALUES = 500;

interface Walk {
  readonly secrets: Secrets;
  left: number;
}

/**
 * Fields as plain data without secrets, of bounded size: long texts and deep or wide structures are truncated. A text is
 * redacted before it is truncated, so that no part of a secret remains.
 */
export function plainFields(fields: LogFields, secrets: Secrets): Json {
  return mapping(Object.entries(fields), { secrets, left: MOST_VALUES }, 0);
}

/** A text without secrets, truncated for logs. */
export function plainText(text: string, secrets: Secrets): string {
  const shown = secrets.redact(text);
  return shown.length > LONGEST_TEXT ? `${shown.slice(0, LONGEST_TEXT)}… (${shown.length} characters)` : shown;
}

function plain(value: unknown, walk: Walk, depth: number): unknown {
  if (typeof value === 'string') return plainText(value, walk.secrets);
  if (typeof value === 'number' || typeof value === 'boolean') return scalar(value, walk.secrets);
  if (typeof value === 'bigint') return plainText(String(value), walk.secrets);
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  return depth >= DEEPEST ? '…' : structure(value, walk, depth + 1);
}

/** Unchanged unless its text is a secret or JSON cannot represent it. */
function scalar(value: number | boolean, secrets: Secrets): number | boolean | string {
  const text = String(value);
  const shown = secrets.redact(text);
  return shown === text && Number.isFinite(Number(value)) ? value : shown;
}

function structure(value: object, walk: Walk, depth: number): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof Error) return mapping(Object.entries(errorFields(value)), walk, depth);
  if (value instanceof Map)
    return mapping(
      [...value].map(([key, item]) => [String(key), item]),
      walk,
      depth,
    );
  if (Array.isArray(value) || value instanceof Set) return list([...value], walk, depth);
  return mapping(Object.entries(value), walk, depth);
}

/** An expected error is logged with its code and hint, an unexpected one with its stack. */
function errorFields(error: Error): LogFields {
  const { name, message, stack, cause } = error;
  if (error instanceof EchelonError) return { code: error.code, message, hint: error.hint, cause };
  const code = 'code' in error ? error.code : undefined;
  const errors = error instanceof AggregateError ? error.errors : undefined;
  return { name, code, message, stack, cause, errors };
}

function mapping(entries: readonly (readonly [string, unknown])[], walk: Walk, depth: number): Json {
  const shown: [string, unknown][] = [];
  for (const [key, value] of entries) {
    if (value === undefined) continue;
    if (walk.left <= 0) {
      shown.push(['…', `${entries.length - shown.length} more`]);
      break;
    }
    walk.left -= 1;
    shown.push([plainText(key, walk.secrets), plain(value, walk, depth)]);
  }
  return Object.fromEntries(shown);
}

function list(items: readonly unknown[], walk: Walk, depth: number): unknown[] {
  const shown: unknown[] = [];
  for (const item of items) {
    if (walk.left <= 0) return [...shown, `… ${items.length - shown.length} more`];
    walk.left -= 1;
    shown.push(plain(item, walk, depth));
  }
  return shown;
}

/** The names that the existing runtime prints and that filters on shipped logs match. */
const LEVEL_NAMES: Readonly<Record<LogLevel, string>> = {
  debug: 'DEBUG',
  info: 'INFO',
  warn: 'WARNING',
  error: 'ERROR',
  fatal: 'CRITICAL',
};

interface LogEntry {
  readonly at: Date;
  readonly level: LogLevel;
  readonly message: string;
  /** Plain data, without secrets. */
  readonly fields: Json;
}

/** `[2026-01-31 23:59:59] [INFO] [DRY-RUN] - message key=value`, in local time; stacks follow, indented. */
function textLine(entry: LogEntry, dryRun: boolean): string {
  const mark = dryRun ? '[DRY-RUN] ' : '';
  const stacks = flat(entry.fields)
    .filter(([key]) => isStack(key))
    .flatMap(([, stack]) => String(stack).split(/\r?\n/))
    .map((line) => `\n    ${escapeControls(line.trim())}`);
  return `[${localTime(entry.at)}] [${LEVEL_NAMES[entry.level]}] ${mark}- ${messageAndFields(entry)}${stacks.join('')}\n`;
}

/** `message key=value`, or `[LEVEL] message key=value`: one line per event, as shipped to chat. */
function fileLine(entry: LogEntry, prefixLevel: boolean): string {
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

/** A log shipper tails the file; at this size it is truncated, so that it never fills the pod's volume. */
const LARGEST_FILE = 50 * 1024 * 1024;

interface LogFile {
  /** Never throws: a full disk must not stop the work. Returns the error, once per series of failures. */
  write(line: string): string | undefined;
  /** Later writes are discarded. */
  close(): void;
}

/** Opens LOG_FILE for appending. */
export function openLogFile(path: string, largest = LARGEST_FILE): LogFile {
  const file = open(path);
  let size = regularSize(file);
  let failed = false;
  let closed = false;
  const append = (line: string): void => {
    const bytes = Buffer.byteLength(line);
    if (size !== undefined && size + bytes > largest) {
      ftruncateSync(file, 0);
      size = 0;
    }
    writeSync(file, line);
    if (size !== undefined) size += bytes;
  };
  return {
    write: (line) => {
      try {
        if (!closed) append(line);
        failed = false;
        return undefined;
      } catch (thrown) {
        const first = !failed;
        failed = true;
        return first ? `${path}: ${messageOf(thrown)}` : undefined;
      }
    },
    close: () => {
      if (!closed) closeSync(file);
      closed = true;
    },
  };
}

function open(path: string): number {
  try {
    return openSync(path, 'a');
  } catch (cause) {
    throw new EchelonError({
      code: 'LOG_FILE_UNWRITABLE',
      message: `cannot write to the log file ${path}: ${messageOf(cause)}`,
      hint: 'set LOG_FILE to a path in an existing, writable folder, or unset it',
      cause,
    });
  }
}

/** Undefined for anything without a size, such as a pipe or a terminal. */
function regularSize(file: number): number | undefined {
  const about = fstatSync(file);
  return about.isFile() ? about.size : undefined;
}
