import * as z from 'zod';
import { EchelonError, isJson, messageOf } from '../../base/index.ts';
import { lineAndColumn, loadYamlDocuments, locatedIn, YamlFault } from '../../instance/index.ts';
import { parseSelectorPath, type Step } from './selector-path.ts';

/** The file at the root of an instance that lists what a promotion changes. */
export const PROMOTION_FILE = 'promotion.yml';

export const FORMS = ['short', 'full', 'digest', 'tag'] as const;
/**
 * How a version is written: the first characters of a commit, the whole of it, the digest of the image, or the name of a
 * release.
 */
export type Form = (typeof FORMS)[number];

const text = z.string().min(1);
const file = text.regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))/, 'it must be a path below the root of the instance');
const labels = z.array(text);

const path = text.transform((given, context): readonly Step[] => {
  try {
    return parseSelectorPath(given);
  } catch (thrown) {
    context.addIssue({ code: 'custom', message: messageOf(thrown) });
    return z.NEVER;
  }
});

const target = z
  .strictObject({
    name: text,
    environment: text.exactOptional(),
    upstream: text.exactOptional(),
    file: file.exactOptional(),
    schema: z.union([text.transform((one) => [one]), z.array(text).min(1)]).exactOptional(),
    selector: z.record(text, z.union([z.string(), z.number(), z.boolean()]).transform(String)).exactOptional(),
    key: text.regex(/^[\w.-]+$/, 'it must be the name of a key').exactOptional(),
    path: path.exactOptional(),
    digest: text.regex(/^[\w.-]+$/, 'it must be the name of a key').exactOptional(),
    form: z.enum(FORMS),
    length: z.number().int().min(4).max(40).exactOptional(),
    required: z.boolean().default(true),
    matches: z
      .strictObject({ min: z.number().int().min(0).exactOptional(), max: z.number().int().min(1).exactOptional() })
      .exactOptional(),
  })
  .superRefine(checkTarget);

type Given = {
  readonly file?: string;
  readonly schema?: readonly string[];
  readonly selector?: unknown;
  readonly key?: string;
  readonly path?: unknown;
  readonly digest?: string;
};

function checkTarget(given: Given, context: z.RefinementCtx): void {
  const wrong = (message: string, ...keys: string[]): void => context.addIssue({ code: 'custom', message, path: keys });
  if ((given.file === undefined) === (given.schema === undefined)) wrong('name either a file or a schema');
  if ((given.key === undefined) === (given.path === undefined)) wrong('name either a key or a path');
  if (given.key !== undefined && given.schema !== undefined) wrong('files of a schema need a path, not a key', 'key');
  if (given.selector !== undefined && given.schema === undefined) wrong('a selector needs a schema', 'selector');
  if (given.digest !== undefined && given.path === undefined) wrong('a digest needs a path, not a key', 'digest');
}

const upstream = z.strictObject({
  url: text,
  /** Asked for the image of a commit. */
  image: text.exactOptional(),
  /** The branch whose newest commit is promoted; the default branch when absent. */
  branch: text.exactOptional(),
  labels: labels.exactOptional(),
});

const shape = z
  .strictObject({
    upstreams: z.record(text.regex(/^[a-z0-9][\w-]*$/, 'it must be a name such as reconcile'), upstream),
    labels: labels.default([]),
    targetBranch: text.exactOptional(),
    branchPrefix: text.default('promote-'),
    targets: z.array(target).min(1),
  })
  .superRefine(({ upstreams, targets }, context) => {
    const names = Object.keys(upstreams);
    if (names.length === 0) context.addIssue({ code: 'custom', message: 'name at least one', path: ['upstreams'] });
    for (const [index, { name, upstream: own }] of targets.entries()) {
      const at = ['targets', index];
      if (targets.findIndex((each) => each.name === name) !== index)
        context.addIssue({ code: 'custom', message: `there are two targets ${name}`, path: [...at, 'name'] });
      if (own !== undefined && !names.includes(own))
        context.addIssue({ code: 'custom', message: `there is no upstream ${own}`, path: [...at, 'upstream'] });
    }
  });

export type Upstream = z.infer<typeof upstream>;
/** One place, or several that are alike, that carries a version. */
export type Target = Omit<z.infer<typeof target>, 'upstream'> & {
  readonly upstream: string;
};
export interface PromotionConfig extends Omit<z.infer<typeof shape>, 'targets'> {
  readonly targets: readonly Target[];
}

const MOST_TOLD = 5;

/** What a `promotion.yml` says; targets without an upstream are of the first. Throws with file:line. */
export function readPromotionFile(content: string, name: string = PROMOTION_FILE): PromotionConfig {
  const read = yamlOf(content, name);
  if (!isJson(read)) throw invalid([`${name} ${read === undefined ? 'is empty' : 'is no mapping'}`]);
  const parsed = shape.safeParse(read);
  if (!parsed.success) throw invalid(locatedIn(name, content, parsed.error.issues));
  const [first = ''] = Object.keys(parsed.data.upstreams);
  return {
    ...parsed.data,
    targets: parsed.data.targets.map((each) => ({ ...each, upstream: each.upstream ?? first })),
  };
}

function yamlOf(content: string, name: string): unknown {
  try {
    return loadYamlDocuments(content)[0];
  } catch (thrown) {
    throw invalid([`${name}${lineOf(content, thrown)} is no YAML: ${messageOf(thrown)}`]);
  }
}

/** `:12:3`, where the parser says so. */
function lineOf(content: string, thrown: unknown): string {
  if (!(thrown instanceof YamlFault) || thrown.offset === undefined) return '';
  const { line, column } = lineAndColumn(content, thrown.offset);
  return `:${line}:${column}`;
}

function invalid(problems: readonly string[]): EchelonError {
  const more = problems.length > MOST_TOLD ? `; and ${problems.length - MOST_TOLD} more` : '';
  return new EchelonError({
    code: 'PROMOTION_FILE_INVALID',
    message: problems.slice(0, MOST_TOLD).join('; ') + more,
    hint: 'see the comments that echelon promote init writes into a new one',
  });
}
