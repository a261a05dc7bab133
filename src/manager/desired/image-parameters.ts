import { defined, EchelonError, imageRefParts } from '../../base/index.ts';
import { declaredTag, type EnvironmentContext, type Instance, type UpstreamImage } from '../../instance/index.ts';
import type { NamespaceGroup } from './group.ts';
import { type GivenSources, type ParameterSources, parseAssignment, upstreamRef } from './parameters.ts';

/** Sources of template parameters besides the environments. */
export interface ImageSettings {
  /** The image repository. */
  readonly image?: string;
  /** `ENVIRONMENT=REF`: the image tag of an environment is the commit of an upstream ref. */
  readonly tagsFromRefs: readonly string[];
  /** `NAME=VALUE`, highest precedence. */
  readonly parameters: readonly string[];
  /** Environment variables; only names that a template declares are used. */
  readonly process: Readonly<Record<string, string | undefined>>;
}

/** Resolves a ref of a repository to a commit. */
export type ResolveRef = (repository: string, ref: string) => Promise<string>;

/** Whose refs are resolved, and what manager.yml says about the integrations. */
export interface ImageSource {
  readonly upstream: string;
  readonly declared?: UpstreamImage;
}

const DEFAULT_HASH_LENGTH = 7;

/** Whether the user gave the image repository. */
export function hasGivenImage({ image, parameters }: ImageSettings): boolean {
  return image !== undefined || parameters.some((text) => text.startsWith('IMAGE='));
}

/** The parameter sources of a namespace that need no ref to be resolved. */
export function givenSources(
  settings: ImageSettings,
  declared: UpstreamImage | undefined,
): (group: NamespaceGroup) => GivenSources {
  const { image = declared?.image, process } = settings;
  const flags = new Map(settings.parameters.map((text) => parseAssignment(text, '--parameter')));
  return ({ namespace }) => ({
    environment: namespace.environment.parameters,
    process,
    flags,
    ...defined({ image }),
  });
}

/**
 * The parameter sources of a namespace: its environment, environment variables, flags. Where manager.yml says where the tag
 * comes from, only flags are stronger. Each ref is resolved once.
 */
export function parameterSources(
  settings: ImageSettings,
  { upstream, declared }: ImageSource,
  instance: Pick<Instance, 'settings'>,
  resolveRef: ResolveRef,
): (group: NamespaceGroup) => Promise<ParameterSources> {
  const given = givenSources(settings, declared);
  const refs = new Map(settings.tagsFromRefs.map(parseRef));
  const resolved = new Map<string, Promise<string>>();
  const tagOf = async (ref: string): Promise<string> => {
    const commit = resolved.get(ref) ?? (isCommit(ref) ? Promise.resolve(ref) : resolveRef(upstream, ref));
    resolved.set(ref, commit);
    return (await commit).slice(0, instance.settings?.hashLength ?? DEFAULT_HASH_LENGTH);
  };
  return async (group) => {
    const { environment } = group.namespace;
    const flag = refs.get(environment.name);
    const tag = flag === undefined && declared !== undefined ? tagIn(declared, environment) : undefined;
    const ref = flag ?? declared?.tagRef ?? upstreamRef(environment.parameters, upstream);
    if (tag !== undefined) return { ...given(group), version: imageRefParts(tag) };
    return { ...given(group), ...(ref === undefined ? {} : { version: { tag: await tagOf(ref) } }) };
  };
}

function tagIn(declared: UpstreamImage, environment: EnvironmentContext): string | undefined {
  const tag = declaredTag(declared, environment);
  if (tag !== undefined || declared.tagParameter === undefined) return tag;
  throw new EchelonError({
    code: 'IMAGE_TAG_UNKNOWN',
    message: `environment ${environment.name} has no parameter ${declared.tagParameter}, which manager.yml takes the image tag from`,
    hint: `add ${declared.tagParameter} to the parameters of ${environment.name}, or pass --image-tag-from-ref`,
  });
}

function isCommit(ref: string): boolean {
  return /^[0-9a-f]{40}$/.test(ref);
}

function parseRef(text: string): readonly [string, string] {
  const [environment, ref] = parseAssignment(text, '--image-tag-from-ref', 'ENVIRONMENT=REF');
  if (ref !== '' && !ref.includes('=')) return [environment, ref];
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `--image-tag-from-ref ${text} has ${ref === '' ? 'no ref' : 'more than one ='}`,
    hint: 'pass --image-tag-from-ref ENVIRONMENT=REF once per environment',
  });
}
