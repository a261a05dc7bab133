import * as z from 'zod';
import {
  count,
  EchelonError,
  IMAGE_REF_PATTERN,
  isImage,
  isImageRef,
  LONGEST_IMAGE,
  parseImage,
  REPOSITORY_PATTERN,
  shown,
} from '../../base/index.ts';
import { problemLine, readOwnFile } from '../own-file.ts';
import type { Finding, Problem } from '../problem.ts';
import type { Snapshot } from '../snapshot.ts';
import { MANAGER_RESOURCE, type ManagerFile } from './manager-file.ts';

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

/** What the file may contain. */
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
  return readOwnFile<ManagerFile>(content, name, {
    schema: managerFileShape,
    fields: FIELDS,
    emptyHint: 'add upstreams, or remove the file',
    doubts: repeated,
  });
}

/** The manager.yml of an instance; undefined where there is none. Throws MANAGER_FILE_INVALID. */
export function managerFileOf({ own }: Pick<Snapshot, 'own'>): ManagerFile | undefined {
  const content = own.get(MANAGER_RESOURCE);
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
