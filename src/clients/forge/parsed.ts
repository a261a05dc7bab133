import type { z } from 'zod';
import { strangeAnswer } from './forge-error.ts';

/** A part of an answer, checked; `name` is the request. */
export function parsed<T>(schema: z.ZodType<T>, name: string, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw strangeAnswer(name, `${issue?.path.join('.') || 'the whole'}: ${issue?.message ?? 'unexpected'}`);
}
