import * as z from 'zod';
import {
  count,
  didYouMean,
  EchelonError,
  IMAGE_REF_PATTERN,
  isImage,
  isImageRef,
  LONGEST_IMAGE,
  parseImage,
  REPOSITORY_PATTERN,
  shown,
  suggestions,
} from '../base/index.ts';
import type { Integration } from './domain/integration.ts';
import type { EnvironmentContext } from './domain/namespace.ts';
import { environmentNames, type Instance } from './domain/read-instance.ts';
import { readEchelonFile } from './echelon-file.ts';
import { locateFindings, problemsIn } from './locate.ts';
import { type Finding, type Problem, problemLine } from './problem.ts';
import type { Snapshot } from './snapshot.ts';

/** Below `resources/`: the file that says which images integrations run, and the defaults of a manager's flags. */
export const MANAGER_RESOURCE = '/echelon/manager.yml';

/** The upstream of existing fleets: that of the default image. */
export const DEFAULT_UPSTREAM = 'https://github.com/app-sre/qontract-reconcile';

export const DEFAULT_IMAGE = 'quay.io/app-sre/qontract-reconcile';

/** The content of `manager.yml`. */
export interface ManagerFile {
  /** Used where neither a flag nor a variable is given. */
  readonly defaults: { readonly environment?: string; readonly upstream?: string };
  readonly upstreams: readonly UpstreamImage[];
}

/** The image that the integrations of one upstream run. At most one of the three tags is given. */
export interface UpstreamImage {
  /** The upstream as in the integration files; absent for integrations that have none. */
  readonly url?: string;
  /** The image repository. */
  readonly image: string;
  /** A tag, or a tag with its digest. */
  readonly tag?: string;
  /** The environment's parameter that holds the tag. */
  readonly tagParameter?: string;
  /** The tag is the commit of this ref of the upstream. */
  readonly tagRef?: string;
  /** A chart's folder: below the instance, or absolute. */
  readonly chart?: string;
}

/** The image that the integrations of an upstream run, if the file has one. */
export function upstreamImage(file: ManagerFile | undefined, upstream: string | undefined): UpstreamImage | undefined {
  return file?.upstreams.find(({ url }) => url === upstream);
}

/** The upstream of an integration; empty for one that has none and whose image the file says. */
export function upstreamOf(file: ManagerFile | undefined, { upstream }: { readonly upstream?: string }): string {
  if (upstream !== undefined) return upstream;
  return upstreamImage(file, undefined) === undefined ? DEFAULT_UPSTREAM : '';
}

/** The tag that the file gives to an environment, unless it is the commit of a ref. */
export function declaredTag(
  { tag, tagParameter }: Pick<UpstreamImage, 'tag' | 'tagParameter'>,
  { parameters }: EnvironmentContext,
): string | undefined {
  if (tagParameter === undefined) return tag;
  const value = parameters[tagParameter];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

const text = z.string().min(1, 'must not be empty');

function refined(message: (given: string) => string | undefined, hint: string) {
  return text.superRefine((given, context) => {
    const fault = message(given);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault, params: { rule: 'bad-value', hint } });
  });
}

const repository = refined((given) => {
  const { tag, digest } = parseImage(given);
  if (!isImage(given)) return `${shown(given)} is not an image repository`;
  return tag === undefined && digest === undefined ? undefined : `${shown(given)} has a tag or digest`;
}, 'use a repository such as registry.example.com/team/tools, and tag, tagParameter or tagRef for its tag').meta({
  pattern: REPOSITORY_PATTERN,
  maxLength: LONGEST_IMAGE,
});

const imageTag = refined(
  (given) => (isImageRef(given) ? undefined : `${shown(given)} is not an image tag`),
  'use a tag, or a tag and its digest: 8c41f7e or 8c41f7e@sha256:…',
).meta({ pattern: IMAGE_REF_PATTERN });

const TAGS = ['tag', 'tagParameter', 'tagRef'] as const;

const upstream = z
  .strictObject({
    url: text.exactOptional(),
    image: repository,
    tag: imageTag.exactOptional(),
    tagParameter: text.exactOptional(),
    tagRef: text.exactOptional(),
    chart: text.exactOptional(),
  })
  .superRefine((given, context) => {
    const issue = (message: string, hint: string, key: string): void =>
      context.addIssue({ code: 'custom', message, params: { rule: 'bad-value', hint }, path: [key] });
    const [first, second] = TAGS.filter((name) => given[name] !== undefined);
    if (first !== undefined && second !== undefined)
      issue(`both ${first} and ${second} are set`, `remove one of them`, second);
    if (given.tagRef !== undefined && given.url === undefined)
      issue('tagRef needs the repository that has the ref', 'add url', 'tagRef');
  })
  .meta({
    not: { anyOf: TAGS.map((tag) => ({ required: TAGS.filter((other) => other !== tag) })) },
    dependencies: { tagRef: ['url'] },
  });

const defaults = z.strictObject({ environment: text.exactOptional(), upstream: text.exactOptional() });

/** Every integration is compared with every upstream. */
const MOST_UPSTREAMS = 100;

/** The shape of the file. */
export const managerFileShape = z.strictObject({
  defaults: defaults.default({}),
  upstreams: z.array(upstream).max(MOST_UPSTREAMS, `must have at most ${MOST_UPSTREAMS} entries`).default([]),
});

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(managerFileShape.shape),
  defaults: Object.keys(defaults.shape),
  'upstreams.#': Object.keys(upstream.shape),
};

/** Parses the file; with a problem there is no file, since half of one would run foreign images. */
export function readManagerFile(
  content: string,
  name = `resources${MANAGER_RESOURCE}`,
): { readonly file?: ManagerFile; readonly problems: readonly Problem[] } {
  return readEchelonFile<ManagerFile>(content, name, {
    schema: managerFileShape,
    fields: FIELDS,
    emptyHint: 'add upstreams, or remove the file',
    doubts: repeated,
  });
}

/** The manager.yml of an instance; undefined where there is none. Throws MANAGER_FILE_INVALID. */
export function managerFileOf({ echelonFiles }: Pick<Snapshot, 'echelonFiles'>): ManagerFile | undefined {
  const content = echelonFiles.get(MANAGER_RESOURCE);
  if (content === undefined) return undefined;
  const { file: read, problems } = readManagerFile(content);
  if (read !== undefined) return read;
  throw new EchelonError({
    code: 'MANAGER_FILE_INVALID',
    message: problemLine(problems),
    hint: `fix ${count(problems.length, 'problem')}; until then it is not known which images to run`,
  });
}

function repeated({ upstreams }: ManagerFile): Omit<Finding, 'path'>[] {
  const seen = new Set<string | undefined>();
  return upstreams.flatMap(({ url }, at): Omit<Finding, 'path'>[] => {
    if (!seen.has(url)) {
      seen.add(url);
      return [];
    }
    const [keys, which] =
      url === undefined ? [['upstreams', at], 'without url'] : [['upstreams', at, 'url'], `of upstream ${url}`];
    const message = `two entries ${which}`;
    return [{ rule: 'duplicate-name', severity: 'error', keys, message, hint: 'remove one of them' }];
  });
}

type Found = Omit<Finding, 'path'>;

/** Finds the problems of an instance's manager.yml, for validation; none where there is no file. */
export function managerFileCheck(instance: Instance): readonly Problem[] {
  const content = instance.snapshot.echelonFiles.get(MANAGER_RESOURCE);
  if (content === undefined) return [];
  const { file, problems } = readManagerFile(content);
  if (file === undefined) return problems;
  const findings = [
    ...defaultFindings(file, instance),
    ...file.upstreams.flatMap((entry, at) => entryFindings(entry, at, instance)),
  ];
  return [
    ...problemsIn(`resources${MANAGER_RESOURCE}`, content, findings),
    ...locateFindings(instance.snapshot, foreignImages(file, instance.integrations)),
  ];
}

function defaultFindings({ defaults: { environment, upstream }, upstreams }: ManagerFile, instance: Instance): Found[] {
  const unknown = (what: 'environment' | 'upstream', name: string | undefined, known: readonly string[]): Found[] => {
    if (name === undefined || known.includes(name)) return [];
    const hint = didYouMean(name, known, `use one of this instance, or remove it`);
    return [found(`unknown-${what}`, 'error', ['defaults', what], `no ${what} ${name} in this instance`, hint)];
  };
  const urls = [...upstreams.flatMap(({ url }) => url ?? []), ...upstreamsOf(instance)];
  return [
    ...unknown('environment', environment, environmentNames(instance)),
    ...unknown('upstream', upstream, [...new Set(urls)]),
  ];
}

function entryFindings(entry: UpstreamImage, at: number, { integrations }: Instance): Found[] {
  const own = integrations.filter(({ upstream }) => upstream === entry.url);
  if (own.length === 0) {
    const message = entry.url === undefined ? 'every integration has an upstream' : `no integration of ${entry.url}`;
    const known = new Set(integrations.flatMap(({ upstream }) => upstream ?? []));
    const hint = didYouMean(entry.url ?? '', known, 'remove the entry, or add its integrations');
    const keys = entry.url === undefined ? ['upstreams', at] : ['upstreams', at, 'url'];
    return [found('unused-upstream', 'warning', keys, message, hint)];
  }
  return tagFindings(entry, at, own);
}

/** Every environment that runs an integration of the upstream needs the parameter. */
function tagFindings(entry: UpstreamImage, at: number, own: readonly Integration[]): Found[] {
  const { tagParameter } = entry;
  if (tagParameter === undefined) return [];
  const environments = new Map(
    own.flatMap(({ managed }) =>
      managed.map(({ namespace: { environment } }) => [environment.name, environment] as const),
    ),
  );
  return [...environments.values()]
    .filter((environment) => declaredTag(entry, environment) === undefined)
    .map(({ name, parameters }) => {
      const message = `environment ${name} has no parameter ${tagParameter}`;
      const hint = didYouMean(tagParameter, Object.keys(parameters), `add it to the parameters of ${name}`);
      return found('unknown-parameter', 'error', ['upstreams', at, 'tagParameter'], message, hint);
    });
}

/**
 * Integrations whose image nobody declares: they would run that of another upstream. Those of the default upstream, and those
 * without one, run the default image as ever.
 */
export function foreignImages(file: ManagerFile | undefined, integrations: readonly Integration[]): Finding[] {
  const suggest = suggestions();
  const known = new Set(file?.upstreams.flatMap(({ url }) => url ?? []));
  return integrations.flatMap(({ file: path, upstream, managed }): Finding[] => {
    if (upstream === undefined || upstream === DEFAULT_UPSTREAM || managed.length === 0) return [];
    if (upstreamImage(file, upstream) !== undefined) return [];
    const message = `no image is declared for the upstream ${upstream}: it would run ${DEFAULT_IMAGE}`;
    const hint = suggest(upstream, known, `declare it in resources${MANAGER_RESOURCE}, or pass --image`);
    return [{ ...found('foreign-image', 'warning', ['upstream'], message, hint), path }];
  });
}

function upstreamsOf({ integrations }: Instance): string[] {
  return integrations.flatMap(({ upstream }) => upstream ?? []);
}

function found(
  rule: string,
  severity: Finding['severity'],
  keys: Finding['keys'],
  message: string,
  hint: string,
): Found {
  return { rule, severity, keys, message, hint };
}
