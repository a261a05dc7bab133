import type { EnvironmentContext } from '../domain/environment.ts';

/** Below `resources/`: the file that says which images integrations run, and the defaults of a manager's flags. */
export const MANAGER_RESOURCE = '/echelon/manager.yml';

/** The upstream of existing fleets: that of the default image. */
export const DEFAULT_UPSTREAM = 'https://github.com/app-sre/qontract-reconcile';

export const DEFAULT_IMAGE = 'quay.io/app-sre/qontract-reconcile';

/** What `manager.yml` declares. */
export interface ManagerFile {
  /** Used where neither a flag nor a variable is given. */
  readonly defaults: { readonly environment?: string; readonly upstream?: string };
  readonly upstreams: readonly UpstreamImage[];
}

/** What the integrations of one upstream run. At most one of the three tags is given. */
export interface UpstreamImage {
  /** As in the integration files; absent: of integrations that have no upstream. */
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

/** What the integrations of an upstream run, if the file says so. */
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
