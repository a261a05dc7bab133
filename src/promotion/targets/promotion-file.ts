import * as z from 'zod';
import { defined, didYouMean, EchelonError, isJson, messageOf } from '../../base/index.ts';
import { lineAndColumn, loadYamlDocuments, locatedIn, YamlFault } from '../../instance/index.ts';
import { parseSelectorPath, SELECTOR_PATH_PATTERN, type Step } from './selector-path.ts';

/** The file at the root of an instance that lists what a promotion changes. */
export const PROMOTION_FILE = 'promotion.yml';

const FORMS = ['short', 'full', 'digest', 'tag'] as const;
/**
 * How a version is written: an abbreviated commit, a full commit, an image digest, or a release name.
 */
export type Form = (typeof FORMS)[number];

const text = z.string().min(1);
const file = text.regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))/, 'must be a path inside the instance');
const labels = z.array(text);

const path = text
  .transform((given, context): readonly Step[] => {
    try {
      return parseSelectorPath(given);
    } catch (thrown) {
      context.addIssue({ code: 'custom', message: messageOf(thrown) });
      return z.NEVER;
    }
  })
  .meta({ pattern: SELECTOR_PATH_PATTERN });

const target = z
  .strictObject({
    name: text,
    environment: text.exactOptional(),
    upstream: text.exactOptional(),
    file: file.exactOptional(),
    schema: z.union([text.transform((one) => [one]), z.array(text).min(1)]).exactOptional(),
    selector: z.record(text, z.union([z.string(), z.number(), z.boolean()]).transform(String)).exactOptional(),
    key: text.regex(/^[\w.-]+$/, 'must be a key name').exactOptional(),
    path: path.exactOptional(),
    digest: text.regex(/^[\w.-]+$/, 'must be a key name').exactOptional(),
    form: z.enum(FORMS),
    length: z.number().int().min(4).max(40).exactOptional(),
    required: z.boolean().default(true),
    matches: z
      .strictObject({ min: z.number().int().min(0).exactOptional(), max: z.number().int().min(1).exactOptional() })
      .exactOptional(),
  })
  .superRefine(checkTarget)
  .meta({
    allOf: [
      { oneOf: [{ required: ['file'] }, { required: ['schema'] }] },
      { oneOf: [{ required: ['key'] }, { required: ['path'] }] },
    ],
    dependencies: { key: ['file'], selector: ['schema'], digest: ['path'] },
  });

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
  if ((given.file === undefined) === (given.schema === undefined)) wrong('set either file or schema');
  if ((given.key === undefined) === (given.path === undefined)) wrong('set either key or path');
  if (given.key !== undefined && given.schema !== undefined) wrong('a target by schema needs a path, not a key', 'key');
  if (given.selector !== undefined && given.schema === undefined) wrong('a selector needs a schema', 'selector');
  if (given.digest !== undefined && given.path === undefined) wrong('a digest needs a path, not a key', 'digest');
}

const upstream = z.strictObject({
  /** Absent: versions are tags of the image, and no commits of a repository. */
  url: text.exactOptional(),
  /** The image repository, queried for the image of a commit. */
  image: text.exactOptional(),
  /** The branch whose newest commit is promoted; the default branch when absent. */
  branch: text.exactOptional(),
  labels: labels.exactOptional(),
});

const fileFields = z.strictObject({
  upstreams: z
    .record(text.regex(/^[a-z0-9][\w-]*$/, 'must be a name such as reconcile'), upstream)
    .meta({ minProperties: 1 }),
  labels: labels.default([]),
  targetBranch: text.exactOptional(),
  branchPrefix: text.default('promote-'),
  targets: z.array(target).min(1),
});

/** What the file may contain. */
export const promotionShape = fileFields.superRefine((given, context) => {
  const issue = (message: string, ...at: (string | number)[]): void =>
    context.addIssue({ code: 'custom', message, path: at });
  if (Object.keys(given.upstreams).length === 0) issue('at least one is required', 'upstreams');
  for (const [index, { name }] of given.targets.entries()) {
    if (given.targets.findIndex((each) => each.name === name) !== index)
      issue(`duplicate target ${name}`, 'targets', index, 'name');
    checkUpstream(given, index, issue);
  }
});

/** An upstream without a repository has no commits that a target could hold. */
function checkUpstream(
  { upstreams, targets }: Pick<z.output<typeof fileFields>, 'upstreams' | 'targets'>,
  index: number,
  issue: (message: string, ...at: (string | number)[]) => void,
): void {
  const [first = ''] = Object.keys(upstreams);
  const { upstream: own = first, form } = targets[index] ?? {};
  const found = Object.hasOwn(upstreams, own) ? upstreams[own] : undefined;
  if (found === undefined && own !== '') issue(`no upstream ${own}`, 'targets', index, 'upstream');
  if (found !== undefined && found.url === undefined && (form === 'short' || form === 'full'))
    issue(`must be tag: ${own} has no url, so its versions are tags`, 'targets', index, 'form');
}

export type Upstream = z.infer<typeof upstream>;
/** One or several similar places that hold a version. */
export type Target = Omit<z.infer<typeof target>, 'upstream'> & {
  readonly upstream: string;
};
export interface PromotionConfig extends Omit<z.infer<typeof promotionShape>, 'targets'> {
  readonly targets: readonly Target[];
}

const MAX_REPORTED = 5;

/** Parses `promotion.yml`; targets without an upstream belong to the first one. Throws with file:line. */
export function readPromotionFile(content: string, name: string = PROMOTION_FILE): PromotionConfig {
  const read = yamlOf(content, name);
  if (!isJson(read)) throw invalid([`${name} ${read === undefined ? 'is empty' : 'is not a mapping'}`]);
  const parsed = promotionShape.safeParse(read);
  if (!parsed.success) throw invalid(locatedIn(name, content, parsed.error.issues));
  const [first = ''] = Object.keys(parsed.data.upstreams);
  return {
    ...parsed.data,
    targets: parsed.data.targets.map((each) => ({ ...each, upstream: each.upstream ?? first })),
  };
}

function yamlOf(content: string, name: string): unknown {
  try {
    const documents = loadYamlDocuments(content);
    if (documents.length > 1) throw new Error('it has more than one document, of which only the first would be read');
    return documents[0];
  } catch (thrown) {
    throw invalid([`${name}${lineOf(content, thrown)} is not valid YAML: ${messageOf(thrown)}`]);
  }
}

/** `:12:3`, if the parser reports a position. */
function lineOf(content: string, thrown: unknown): string {
  if (!(thrown instanceof YamlFault) || thrown.offset === undefined) return '';
  const { line, column } = lineAndColumn(content, thrown.offset);
  return `:${line}:${column}`;
}

function invalid(problems: readonly string[]): EchelonError {
  const more = problems.length > MAX_REPORTED ? `; and ${problems.length - MAX_REPORTED} more` : '';
  return new EchelonError({
    code: 'PROMOTION_FILE_INVALID',
    message: problems.slice(0, MAX_REPORTED).join('; ') + more,
    hint: 'see the comments in a file created with: echelon promote init',
  });
}

interface Choice {
  readonly upstream: string;
  /** Names of targets or environments; empty for all. */
  readonly only: readonly string[];
  readonly except: readonly string[];
}

/** The selected targets of an upstream, in file order. */
export function chooseTargets({ targets }: PromotionConfig, { upstream, only, except }: Choice): readonly Target[] {
  const own = targets.filter((target) => target.upstream === upstream);
  for (const name of [...only, ...except]) requireKnown(name, own);
  const named = (names: readonly string[]) => (target: Target) =>
    names.includes(target.name) || (target.environment !== undefined && names.includes(target.environment));
  const chosen = own.filter((target) => (only.length === 0 || named(only)(target)) && !named(except)(target));
  if (chosen.length > 0) return chosen;
  throw new EchelonError({
    code: 'TARGET_UNKNOWN',
    message: own.length === 0 ? `promotion.yml has no target of ${upstream}` : 'no target matches --only and --except',
    hint: own.length === 0 ? 'add one, or pass another upstream with --upstream' : 'pass other targets or environments',
  });
}

function requireKnown(name: string, targets: readonly Target[]): void {
  const known = targets.flatMap((target) => [
    target.name,
    ...(target.environment === undefined ? [] : [target.environment]),
  ]);
  if (known.includes(name)) return;
  throw new EchelonError({
    code: 'TARGET_UNKNOWN',
    message: `promotion.yml has neither a target nor an environment ${name}`,
    hint: didYouMean(name, known, `use one of: ${[...new Set(known)].join(', ')}`),
  });
}

/** The given upstream, else the first in the file. */
export function chooseUpstream({ upstreams }: PromotionConfig, name: string | undefined): string {
  const names = Object.keys(upstreams);
  const chosen = name ?? names[0] ?? '';
  if (names.includes(chosen)) return chosen;
  throw new EchelonError({
    code: 'UPSTREAM_UNKNOWN',
    message: `promotion.yml has no upstream ${chosen}`,
    hint: didYouMean(chosen, names, `use one of: ${names.join(', ')}`),
  });
}

export function missingConfig(): EchelonError {
  return new EchelonError({
    code: 'PROMOTION_FILE_MISSING',
    message: `no ${PROMOTION_FILE} in the root of the instance`,
    hint: 'create one with: echelon promote init, and review it',
  });
}

/** Schemas can be promoted without `promotion.yml`: `.env` has all that is needed. */
export function withSchemas(config: PromotionConfig | undefined, env: ReadonlyMap<string, string>): PromotionConfig {
  if (config?.upstreams['schemas'] !== undefined) return config;
  const url = env.get('SCHEMAS_REPO');
  if (url === undefined || !env.has('SCHEMAS_IMAGE_TAG')) {
    throw new EchelonError({
      code: 'UPSTREAM_UNKNOWN',
      message: `neither ${PROMOTION_FILE} has an upstream schemas nor .env has SCHEMAS_REPO and SCHEMAS_IMAGE_TAG`,
      hint: 'add them to .env, or the upstream to promotion.yml',
    });
  }
  const image = env.get('SCHEMAS_IMAGE');
  const base = config ?? { upstreams: {}, labels: [], branchPrefix: 'promote-', targets: [] };
  return {
    ...base,
    upstreams: { ...base.upstreams, schemas: { url, ...defined({ image }) } },
    targets: [
      ...base.targets,
      {
        name: 'schemas-checks',
        upstream: 'schemas',
        file: '.env',
        key: 'SCHEMAS_IMAGE_TAG',
        form: 'short',
        required: true,
      },
    ],
  };
}
