import { defined, EchelonError } from '../../base/index.ts';
import type { Instance } from '../../instance/index.ts';
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

/** The upstream of existing fleets, used by default. */
export const DEFAULT_UPSTREAM = 'https://github.com/app-sre/qontract-reconcile';
const DEFAULT_HASH_LENGTH = 7;

/** The parameter sources of a namespace that need no ref to be resolved. */
export function givenSources(settings: ImageSettings): (group: NamespaceGroup) => GivenSources {
  const { image, process } = settings;
  const flags = new Map(settings.parameters.map((text) => parseAssignment(text, '--parameter')));
  return ({ namespace }) => ({
    environment: namespace.environment.parameters,
    process,
    flags,
    ...defined({ image }),
  });
}

/** The parameter sources of a namespace: its environment, environment variables, flags. Each ref is resolved once. */
export function parameterSources(
  settings: ImageSettings,
  upstream: string,
  instance: Pick<Instance, 'settings'>,
  resolveRef: ResolveRef,
): (group: NamespaceGroup) => Promise<ParameterSources> {
  const given = givenSources(settings);
  const refs = new Map(settings.tagsFromRefs.map(parseRef));
  const resolved = new Map<string, Promise<string>>();
  const tagOf = async (ref: string): Promise<string> => {
    const commit = resolved.get(ref) ?? (isCommit(ref) ? Promise.resolve(ref) : resolveRef(upstream, ref));
    resolved.set(ref, commit);
    return (await commit).slice(0, instance.settings?.hashLength ?? DEFAULT_HASH_LENGTH);
  };
  return async (group) => {
    const { name, parameters } = group.namespace.environment;
    const ref = refs.get(name) ?? upstreamRef(parameters, upstream);
    const tagFromRef = ref === undefined ? undefined : await tagOf(ref);
    return { ...given(group), ...defined({ tagFromRef }) };
  };
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
