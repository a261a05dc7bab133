import type { Secrets } from '../base/index.ts';
import { EchelonError, type Json } from '../base/index.ts';
import type { LogFields } from './logger.ts';

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
