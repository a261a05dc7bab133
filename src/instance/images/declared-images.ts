import { isImageRef, isJson } from '../../base/index.ts';
import type { Integration, Managed } from '../domain/integration.ts';
import type { Instance } from '../domain/read-instance.ts';
import type { SaasFile, SaasTarget, SaasTemplate } from '../domain/saas-file.ts';
import { DEFAULT_UPSTREAM, declaredTag, managerFileOf, upstreamImage } from '../manager-file.ts';

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

/** The environments and upstreams that get another default tag. */
export function tagChanges(before: Instance, after: Instance): TagChange[] {
  const was = defaultTags(before);
  return [...defaultTags(after)].flatMap(([id, { environment, upstream, tag }]) => {
    const old = was.get(id)?.tag;
    return old === undefined || old === tag ? [] : [{ environment, upstream, before: old, after: tag }];
  });
}

interface DefaultTag {
  readonly environment: string;
  /** Empty for integrations that have none. */
  readonly upstream: string;
  readonly tag: string;
}

/** Each manager's default tag: its environment's tag for its upstream, else its own. */
function defaultTags(instance: Instance): ReadonlyMap<string, DefaultTag> {
  const length = instance.settings?.hashLength ?? DEFAULT_HASH_LENGTH;
  const all = instance.saasFiles.flatMap((file) =>
    file.templates.flatMap((template) =>
      template.targets.flatMap((target) => managerTag(instance, { file, template, target }, length)),
    ),
  );
  return new Map(
    [...all, ...managerFileTags(instance, length)].map((each) => [
      JSON.stringify([each.environment, each.upstream]),
      each,
    ]),
  );
}

/** What manager.yml says of environments that run something of an upstream; it comes before what managers are given. */
function managerFileTags(instance: Instance, length: number): DefaultTag[] {
  const file = managerFileOf(instance.snapshot);
  if (file === undefined) return [];
  return instance.integrations.flatMap((integration) => {
    const image = upstreamImage(file, integration.upstream);
    if (image === undefined) return [];
    return integration.managed.flatMap(({ namespace: { environment } }): DefaultTag[] => {
      const tag = declaredTag(image, environment) ?? tagOf(image.tagRef, length);
      const { upstream = '' } = integration;
      return tag === undefined ? [] : [{ environment: environment.name, upstream, tag }];
    });
  });
}

/** Whether an integration runs what is declared for an upstream; an empty one is that of integrations without. */
export function isOfUpstream({ upstream = '' }: Pick<Integration, 'upstream'>, of: string): boolean {
  return upstream === of;
}

interface Deployed {
  readonly file: SaasFile;
  readonly template: SaasTemplate;
  readonly target: SaasTarget;
}

function managerTag(instance: Instance, { file, template, target }: Deployed, length: number): DefaultTag[] {
  const parameters = { ...file.parameters, ...template.parameters, ...target.parameters };
  const environment = parameters['ENVIRONMENT_NAME'];
  const upstream = parameters['INTEGRATIONS_MANAGER_UPSTREAM'];
  if (typeof environment !== 'string' || typeof upstream !== 'string' || target.disable || target.delete) return [];
  const own = parameters['IMAGE_TAG'] ?? tagOf(target.ref, template.hashLength ?? length);
  const tag = tagOf(environmentRef(instance, environment, upstream), length) ?? own;
  return tag === undefined ? [] : [{ environment, upstream, tag: String(tag) }];
}

function environmentRef({ environments }: Instance, name: string, upstream: string): string | undefined {
  const repos = environments.find((each) => each.name === name)?.parameters['INTEGRATION_UPSTREAM_REPOS'];
  const found: unknown = Array.isArray(repos)
    ? repos.findLast((each) => isJson(each) && each['repo'] === upstream)
    : undefined;
  return isJson(found) && found['ref'] !== undefined ? String(found['ref']) : undefined;
}

/** The tag of a branch is unknown here. */
function tagOf(ref: string | undefined, length: number): string | undefined {
  return ref !== undefined && /^[0-9a-f]{40}$/.test(ref) ? ref.slice(0, length) : undefined;
}

export interface TagChange {
  readonly environment: string;
  readonly upstream: string;
  readonly before: string;
  readonly after: string;
}

/** The image that a manager is deployed with and passes on to its workloads. */
type ManagerImage = Readonly<Record<'IMAGE_TAG', string> & Partial<Record<'IMAGE_DIGEST', string>>>;

const COMMIT = /^[0-9a-f]{40}$/;

/**
 * The images of an upstream's managers by environment, from the saas files that deploy them: a promotion changes nothing
 * else. A target sets its tag, or the tag is the abbreviated commit that it deploys.
 */
export function managerImages(instance: Instance, upstream: string): ReadonlyMap<string, ManagerImage> {
  const targets = instance.saasFiles.flatMap((file) =>
    file.templates.flatMap((template) =>
      template.targets
        .filter(({ disable, delete: gone }) => !disable && !gone)
        .map((target) => ({
          parameters: { ...file.parameters, ...template.parameters, ...target.parameters },
          short: shortCommit(target.ref, template.hashLength ?? instance.settings?.hashLength ?? DEFAULT_HASH_LENGTH),
        })),
    ),
  );
  return new Map(
    targets.flatMap(({ parameters, short }) => {
      const { ENVIRONMENT_NAME: environment, INTEGRATIONS_MANAGER_UPSTREAM: ours } = parameters;
      const image = imageIn(parameters, short);
      const usable = ours === upstream && typeof environment === 'string' && image !== undefined;
      return usable ? [[environment, image] as const] : [];
    }),
  );
}

/** The tag of a branch is unknown. */
function shortCommit(ref: string, length: number): string | undefined {
  return COMMIT.test(ref) ? ref.slice(0, length) : undefined;
}

function imageIn(parameters: SaasTarget['parameters'], short: string | undefined): ManagerImage | undefined {
  const { IMAGE_TAG: named, IMAGE_DIGEST: digest } = parameters;
  const tag = named === undefined ? short : String(named);
  if (tag === undefined) return undefined;
  return { IMAGE_TAG: tag, ...(typeof digest === 'string' ? { IMAGE_DIGEST: digest } : {}) };
}
