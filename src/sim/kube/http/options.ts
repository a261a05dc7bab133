import type { FieldValidation } from '../decode.ts';

/** Query parameters of a write. */
export interface RequestOptions {
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly dryRun: boolean;
  /** Of an apply: takes fields of other managers. */
  readonly force: boolean;
}

const MODES: readonly string[] = ['Ignore', 'Strict', 'Warn'] satisfies FieldValidation[];

export function writeOptions(query: URLSearchParams): RequestOptions {
  const mode = query.get('fieldValidation') ?? '';
  return {
    fieldManager: query.get('fieldManager') ?? '',
    fieldValidation: MODES.includes(mode) ? (mode as FieldValidation) : 'Warn',
    dryRun: query.has('dryRun'),
    force: query.get('force') === 'true',
  };
}

/** The manager of a write that names none: the first part of its User-Agent. */
export function managerOf(fieldManager: string, userAgent: string): string {
  return fieldManager === '' ? (userAgent.split('/')[0] ?? '') : fieldManager;
}
