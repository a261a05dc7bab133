import type { Json } from '../base/index.ts';
import { Secrets } from '../base/index.ts';
import { type Clock, systemClock } from './clock.ts';
import { plainFields, plainText } from './log-fields.ts';
import { type LogFile, openLogFile } from './log-file.ts';
import { fileLine, type LogEntry, textLine } from './log-text.ts';
import type { LogFields, Logger } from './logger.ts';
import { LOG_LEVELS, type LogFormat, type LogLevel } from './pod-contract.ts';

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
