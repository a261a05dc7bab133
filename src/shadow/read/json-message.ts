import { isJson, type Json } from '../../base/index.ts';

/** Fields that differ between equal runs, by the names that common loggers give them. */
const VOLATILE = new Set([
  ...['time', 'timestamp', 'ts', '@timestamp', 'asctime', 'pid', 'process', 'thread', 'hostname', 'host', 'v'],
  ...['caller', 'file', 'filename', 'line', 'lineno', 'func', 'funcName', 'logger', 'name', 'module'],
  ...['duration', 'durationMs', 'duration_ms', 'elapsed', 'seconds', 'requestId', 'request_id'],
]);
const TEXTS = ['message', 'msg', 'event'] as const;
const LEVEL_NAMES = ['level', 'levelname', 'severity', 'lvl'] as const;
const DEEPEST = 50;

interface JsonMessage {
  readonly level: 'debug' | 'info' | 'warning' | 'error';
  readonly message: string;
}

/** A line that is a JSON object with a message: its text, then its other fields, sorted. */
export function jsonMessage(line: string): JsonMessage | undefined {
  if (!line.startsWith('{')) return undefined;
  const fields = parsed(line);
  if (fields === undefined) return undefined;
  const named = TEXTS.find((name) => typeof fields[name] === 'string');
  if (named === undefined) return undefined;
  const level = LEVEL_NAMES.find((name) => fields[name] !== undefined);
  const kept = Object.keys(fields)
    .filter((name) => name !== named && name !== level && !VOLATILE.has(name))
    .sort();
  const texts = kept.map((name) => `${name}=${sortedJson(fields[name], 0)}`);
  return { level: levelOf(fields[level ?? '']), message: [fields[named], ...texts].join(' ') };
}

function parsed(line: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Numbers as pino and bunyan have them. */
const NUMBERED: readonly (readonly [number, JsonMessage['level']])[] = [
  [50, 'error'],
  [40, 'warning'],
  [30, 'info'],
];
const NAMED: readonly (readonly [RegExp, JsonMessage['level']])[] = [
  [/^(?:err|crit|fatal|panic|alert|emerg)/i, 'error'],
  [/^warn/i, 'warning'],
  [/^(?:debug|trace)/i, 'debug'],
];

function levelOf(value: unknown): JsonMessage['level'] {
  if (typeof value === 'number') return NUMBERED.find(([least]) => value >= least)?.[1] ?? 'debug';
  return NAMED.find(([name]) => typeof value === 'string' && name.test(value))?.[1] ?? 'info';
}

/** Below the deepest level, what is there is only named. */
function sortedJson(value: unknown, depth: number): string {
  if (depth >= DEEPEST) return '…';
  if (Array.isArray(value)) return `[${value.map((item) => sortedJson(item, depth + 1)).join(',')}]`;
  if (!isJson(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${sortedJson(value[name], depth + 1)}`).join(',')}}`;
}
