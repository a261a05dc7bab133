import * as z from 'zod';
import { EchelonError, messageOf } from '../../base/index.ts';

/** Issues shown for an invalid document. */
const MOST_ISSUES = 5;

/** A JSON document of a user, from what is called `name`. */
export function parsedDocument<T>(content: string, name: string, shape: z.ZodType<T>): T {
  const result = shape.safeParse(parse(content, name));
  if (result.success) return result.data;
  throw documentFault(`${name} is invalid: ${issuesText(result.error)}`);
}

export function documentFault(message: string): EchelonError {
  return new EchelonError({
    code: 'INPUT_INVALID',
    message,
    hint: 'show the format with the same command, flags and --dump',
  });
}

function issuesText({ issues }: z.ZodError): string {
  const shown = z.prettifyError(new z.ZodError(issues.slice(0, MOST_ISSUES))).replaceAll(/\s+/g, ' ');
  const more = issues.length - MOST_ISSUES;
  return more > 0 ? `${shown}, and ${more} more` : shown;
}

/** Editors on some systems put a byte order mark in front. */
function parse(content: string, name: string): unknown {
  if (content.trim() === '') throw documentFault(`${name} is empty`);
  try {
    return JSON.parse(content.replace(/^\uFEFF/, ''));
  } catch (thrown) {
    throw documentFault(`${name} is not JSON: ${messageOf(thrown)}`);
  }
}
