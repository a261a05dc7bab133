import * as z from 'zod';
import { count, EchelonError, shown } from '../../base/index.ts';
import { type Problem, problemLine, readEchelonFile } from '../../instance/index.ts';
import { patternFault } from './patterns.ts';
import type { ShadowFile } from './shadow-file.ts';

const MOST_PATTERNS = 100;
const MOST_INTEGRATIONS = 1_000;

const pattern = z
  .string()
  .min(1, 'must not be empty')
  .superRefine((given, context) => {
    const fault = patternFault(given);
    if (fault === undefined) return;
    const hint = 'use an RE2 pattern such as ^Deleting (\\S+)';
    const message = `${shown(given)} is not a valid pattern: ${fault}`;
    context.addIssue({ code: 'custom', message, params: { rule: 'bad-value', hint } });
  });
const patterns = z.array(pattern).max(MOST_PATTERNS, `must have at most ${MOST_PATTERNS} entries`);
const mask = z.strictObject({ pattern, with: z.string().max(100, 'must be at most 100 characters') });

const rules = z.strictObject({
  actions: patterns.min(1, 'must have at least one entry').exactOptional(),
  ignore: patterns.exactOptional(),
  masks: z.array(mask).max(MOST_PATTERNS, `must have at most ${MOST_PATTERNS} entries`).exactOptional(),
  inconclusive: patterns.exactOptional(),
  collapseRepeats: z.boolean().exactOptional(),
});

/** The shape of `shadow.yml`. */
export const shadowShape = z.strictObject({
  integrations: z
    .record(z.string(), rules)
    .refine((all) => Object.keys(all).length <= MOST_INTEGRATIONS, `must have at most ${MOST_INTEGRATIONS} entries`)
    .meta({ maxProperties: MOST_INTEGRATIONS })
    .default({}),
});

/** The fields of each mapping, by its path. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(shadowShape.shape),
  'integrations.*': Object.keys(rules.shape),
  'integrations.*.masks.#': Object.keys(mask.shape),
};

/** Parses the file; with a problem there is no file, since half of one could hide a difference. */
export function readShadow(
  content: string,
  name: string,
): { readonly file?: ShadowFile; readonly problems: readonly Problem[] } {
  return readEchelonFile<ShadowFile>(content, name, {
    schema: shadowShape,
    fields: FIELDS,
    emptyHint: 'add integrations, or remove the file',
  });
}

/** Throws SHADOW_INVALID with the first problems, each with file:line:column. */
export function requireShadow(content: string, name: string): ShadowFile {
  const { file, problems } = readShadow(content, name);
  if (file !== undefined) return file;
  throw new EchelonError({
    code: 'SHADOW_INVALID',
    message: problemLine(problems),
    hint: `fix ${count(problems.length, 'problem')}; until then nothing is compared`,
  });
}
