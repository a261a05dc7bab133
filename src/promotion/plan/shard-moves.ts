import { defined, isJson, shortDigests } from '../../base/index.ts';
import {
  declaredTag,
  type Instance,
  type Integration,
  type Managed,
  managerFileOf,
  type SaasFile,
  type SaasTarget,
  type SaasTemplate,
  upstreamImage,
} from '../../instance/index.ts';
import { expandShards, objectName, type Shard, workloadOf } from '../../sharding/index.ts';
import type { Note } from '../notes.ts';

/** A shard whose environment gets a new default image. */
export interface ShardMove {
  readonly integration: string;
  readonly environment: string;
  readonly shard: string;
  readonly object: string;
  readonly workload: ReturnType<typeof workloadOf>;
  readonly before: string;
  readonly after: string;
  /** The pin, if any. */
  readonly pin?: string;
  /** Where the pin is declared. */
  readonly file: string;
}

export interface ShardMoves {
  readonly moving: readonly ShardMove[];
  /** Shards held by pins. */
  readonly held: readonly ShardMove[];
}

const DEFAULT_HASH_LENGTH = 7;

/** Which shards a data change moves to another image, and which stay. Ignores disabled shards. */
export function shardMoves(before: Instance, after: Instance): ShardMoves {
  const moves = tagChanges(before, after).flatMap((change) => movesOf(after, change));
  return {
    moving: moves.filter(({ pin }) => pin === undefined),
    held: moves.filter(({ pin }) => pin !== undefined),
  };
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

function movesOf(instance: Instance, change: TagChange): ShardMove[] {
  return instance.integrations
    .filter((integration) => isOfUpstream(integration, change.upstream))
    .flatMap((integration) =>
      integration.managed
        .filter(({ namespace }) => namespace.environment.name === change.environment)
        .flatMap((entry) =>
          expandShards(instance, integration, entry)
            .shards.filter(({ settings }) => !settings.disabled)
            .map((shard) => moveOf(integration, entry, shard, change)),
        ),
    );
}

function moveOf(
  integration: Integration,
  entry: Managed,
  shard: Shard,
  { environment, before, after }: TagChange,
): ShardMove {
  const pin = shard.settings.imageRef;
  return {
    integration: integration.name,
    environment,
    shard: shard.name,
    object: objectName(integration, shard),
    workload: workloadOf(entry),
    before,
    after,
    ...defined({ pin }),
    file: `data${integration.file}`,
  };
}

/** Echelon keeps a CronJob at its pin; the existing manager gives it the default image anyway. */
export function cronNotes({ held }: ShardMoves): Note[] {
  return held
    .filter(({ workload }) => workload === 'CronJob')
    .map(({ object, environment, pin = '', after, file }) => ({
      rule: 'cron-pin',
      message: `${object} in ${environment} is a CronJob: Echelon keeps it at its pin ${shortDigests(pin)}, the existing manager ignores the pin and moves it to ${after}`,
      hint: 'suspend it, or remove the pin, if the existing manager operates it',
      at: file,
    }));
}
