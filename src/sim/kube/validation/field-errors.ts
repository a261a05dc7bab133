import type { FieldError } from '../status.ts';

export function required(field: string, detail = ''): FieldError {
  return { type: 'Required', field, body: detail === '' ? 'Required value' : `Required value: ${detail}` };
}

export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return { type: 'Invalid', field, body: `Invalid value: ${JSON.stringify(value ?? null)}: ${detail}` };
}

export function unsupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const values = supported.map((each) => JSON.stringify(each)).join(', ');
  return {
    type: 'NotSupported',
    field,
    body: `Unsupported value: ${JSON.stringify(value)}: supported values: ${values}`,
  };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { type: 'Forbidden', field, body: `Forbidden: ${detail}` };
}

export function duplicateValue(field: string, value: unknown): FieldError {
  return { type: 'Duplicate', field, body: `Duplicate value: ${JSON.stringify(value)}` };
}

export function absentValue(field: string, value: unknown): FieldError {
  return { type: 'NotFound', field, body: `Not found: ${JSON.stringify(value)}` };
}

export function tooLong(field: string, limit: number): FieldError {
  return { type: 'TooLong', field, body: `Too long: may not be more than ${limit} bytes` };
}

export const IMMUTABLE = 'field is immutable';
