import * as z from 'zod';

/** OCM leaves out what is empty; null and the empty text mean the same. */
export const text = z
  .string()
  .nullish()
  .transform((value) => value || undefined);

/** Absent is false. */
export const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);

export const texts = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? []);

/** A text that an id or a name must have. */
export const required = z.string().min(1);

const UNSET_YEAR = '0001-';

/** RFC 3339, as it came; the services write the year 1 for none. */
export const time = z
  .string()
  .refine((value) => !Number.isNaN(Date.parse(value)), 'Invalid input: expected a date and time')
  .nullish()
  .transform((value) => (value?.startsWith(UNSET_YEAR) ? undefined : (value ?? undefined)));

/** Rows inside a record, read later one by one. */
export const rows = z
  .array(z.unknown())
  .nullish()
  .transform((value) => value ?? []);
