import { isImageRef, isJson } from '../../base/index.ts';
import {
  DEFAULT_UPSTREAM,
  declaredTag,
  type Instance,
  type Integration,
  type Managed,
  managerFileOf,
  upstreamImage,
} from '../../instance/index.ts';
import { managerImages } from '../pr-check/manager-images.ts';

const DEFAULT_HASH_LENGTH = 7;

/**
 * The image of an entry's unpinned shards, as far as the instance declares it: from the spec, else from manager.yml, else from
 * the environment's commit of the upstream, else from the environment's manager, else from its parameters. A branch has no known tag. A
 * digest that belongs to the tag is included: the chart appends a pin to the repository as is, so only both together are
 * the running image, and pinning to it restarts nothing.
 */
export function declaredImage(instance: Instance, integration: Integration, entry: Managed): string | undefined {
  const { upstream = DEFAULT_UPSTREAM } = integration;
  const { name, parameters } = entry.namespace.environment;
  if (entry.spec.imageRef !== undefined) return entry.spec.imageRef;
  const declared = upstreamImage(managerFileOf(instance.snapshot), integration.upstream);
  const tagged = declared === undefined ? undefined : declaredTag(declared, entry.namespace.environment);
  if (tagged !== undefined) return tagged;
  const ref = declared?.tagRef ?? wantedRef(parameters['INTEGRATION_UPSTREAM_REPOS'], upstream);
  if (ref !== undefined) {
    return /^[0-9a-f]{40}$/.test(ref) ? ref.slice(0, instance.settings?.hashLength ?? DEFAULT_HASH_LENGTH) : undefined;
  }
  const { IMAGE_TAG: tag, IMAGE_DIGEST: digest } = managerImages(instance, upstream).get(name) ?? parameters;
  return withDigest(textOf(tag), textOf(digest));
}

function withDigest(tag: string | undefined, digest: string | undefined): string | undefined {
  const whole = `${tag}@${digest}`;
  return tag !== undefined && isImageRef(whole) ? whole : tag;
}

/** Of several entries for one repository the last counts. */
function wantedRef(repositories: unknown, upstream: string): string | undefined {
  const all: readonly unknown[] = Array.isArray(repositories) ? repositories : [];
  return textOf(all.filter(isJson).findLast(({ repo }) => repo === upstream)?.['ref']);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
