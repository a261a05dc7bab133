import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../../base/index.ts';
import {
  bytesBelow,
  copiedData,
  recoverFiles,
  replaceFiles,
  textBelow,
  withScratch,
} from '../../../clients/files/index.ts';
import { openForge, resolveRefByForge } from '../../../clients/forge/index.ts';
import {
  describeWorkingTree,
  identityIn,
  lineDates,
  openRepository,
  repositoryAt,
} from '../../../clients/git/index.ts';
import { imageDigest } from '../../../clients/registry.ts';
import {
  checkInstance,
  DEFAULT_UPSTREAM,
  type Instance,
  managerImages,
  openInstance,
  type SchemaSet,
  type Snapshot,
} from '../../../instance/index.ts';
import {
  breachText,
  type CountedObject,
  type DesiredNamespace,
  guardBreaches,
  identityOf,
  type NamespaceGroup,
} from '../../../manager/index.ts';
import { type GuardedObject, type PrCheckPorts, type RenderedWorkloads, workloadKey } from '../../../pr-check/index.ts';
import type { PromotionPorts } from '../../../promotion/index.ts';
import { type Capabilities, objectName, workloadOf } from '../../../sharding/index.ts';
import type { Context } from '../../context.ts';
import { instanceChecks } from '../../instance.ts';
import { progressOn } from '../../output/terminal.ts';
import { programRunner } from '../../program-runner.ts';
import { localRunner } from '../images/shadow.ts';
import { withManager } from '../manager/open.ts';
import { recordedScopes } from '../manager/rollout-record.ts';
import type { PrCheckFlags } from './commands.ts';

/** The ports of a promotion: this machine and its forges. Tokens are redacted from forge responses. */
export function promotionPorts(ctx: Context, flags: { readonly rolloutRecord?: string } = {}): PromotionPorts {
  const { env, signal } = ctx;
  for (const name of ['GITHUB_TOKEN', 'GITLAB_TOKEN']) ctx.onSecret?.(env[name] ?? '');
  return {
    git: { repositoryAt, openClone: openRepository, lineDates, identity: identityIn },
    forge: {
      open: (url, options) => openForge(url, { ...options, env, signal }),
      resolveRef: (repository, ref) => resolveRefByForge(repository, ref, { env, signal }),
    },
    files: {
      text: textBelow,
      bytes: bytesBelow,
      recover: (folder) => recover(ctx, folder),
      replace: replaceFiles,
      write: (folder, file, text, { replace }) =>
        writeFileSync(join(folder, file), text, { flag: replace ? 'w' : 'wx' }),
      withScratch,
    },
    loadFolder: (folder, files) => loadFolder(ctx, folder, files),
    imageDigest: (question) => imageDigest({ ...question, env, signal }),
    now: () => ctx.clock.now(),
    ...defined({ recorded: recordedScopes(ctx, flags) }),
  };
}

function recover({ err }: Context, folder: string): void {
  const { restored, changedSince } = recoverFiles(folder);
  if (restored.length > 0) err.line(`an interrupted change was undone: ${restored.join(', ')} restored`);
  for (const file of changedSince) {
    err.line(`an interrupted change was not undone: ${file} was changed since and stays as it is`);
  }
}

async function loadFolder(ctx: Context, folder: string, files: 'working-tree' | 'exported'): Promise<Snapshot> {
  const progress = progressOn(ctx);
  try {
    const source = openInstance(folder, {
      workingTree: { describe: files === 'exported' ? async () => undefined : describeWorkingTree },
      server: () => {
        throw new Error('a folder has no server');
      },
    });
    return await source.load({ signal: ctx.signal, onProgress: progress.step });
  } finally {
    progress.end();
  }
}

export interface CheckInputs {
  readonly schemas?: SchemaSet;
  readonly capabilities?: Capabilities;
}

/** The ports of a check on this machine. */
export function checkPorts(ctx: Context, flags: PrCheckFlags, { schemas, capabilities }: CheckInputs): PrCheckPorts {
  const { git, forge, loadFolder, now, recorded } = promotionPorts(ctx, flags);
  return {
    git,
    forge,
    loadFolder,
    now,
    ...defined({ recorded }),
    files: {
      exists: existsSync,
      textUpTo,
      makeFolder: (path) => void mkdirSync(path, { recursive: true }),
      withScratch,
    },
    validate: async (snapshot) =>
      checkInstance(snapshot, {
        ...(await instanceChecks(ctx, flags, { snapshot, capabilities })),
        ...defined({ schemas }),
      }),
    renderWorkloads: (instance) => renderWorkloads(ctx, flags, { instance }, capabilities),
    guard,
    runner: checkRunner(ctx, flags),
    shadowRunner: ({ folder, instance }, scratch) =>
      localRunner(ctx, flags, {
        place: copiedData('directory', folder, scratch),
        isLocal: true,
        scratch,
        instance,
      }),
    shadowId: randomBytes(4).toString('hex'),
    signal: ctx.signal,
  };
}

function checkRunner(ctx: Context, flags: PrCheckFlags): PrCheckPorts['runner'] {
  const { redact, start } = programRunner(ctx, flags, flags.run === true);
  return {
    redact,
    run: ({ run, words, variables, base, head }, options) => {
      const { integration, image, name } = run;
      const local = { variables: { ECHELON_DATA: head, ECHELON_BASE_DATA: base } };
      return start({ integration, image, name, words, variables, local }, options);
    },
  };
}

function textUpTo(path: string, maxBytes: number): string | undefined {
  try {
    const found = lstatSync(path);
    return found.isFile() && found.size <= maxBytes ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** The workloads that the managers of all environments would apply. */
async function renderWorkloads(
  ctx: Context,
  flags: PrCheckFlags,
  side: { readonly instance: Instance },
  capabilities: Capabilities | undefined,
): Promise<RenderedWorkloads> {
  // A check covers every environment, regardless of this process's own and the default of manager.yml.
  const everywhere = { ...flags, environmentName: '' };
  const options = { readOnly: true, instance: side.instance, capabilities };
  const { groups, rendered: made } = await withManager(ctx, everywhere, options, ({ during }) =>
    during((manager) => manager.desired((fleet) => fleet.groups.flatMap((group) => byUpstream(side.instance, group)))),
  );
  const { namespaces, failures } = made;
  return {
    namespaces: joined(namespaces),
    failures,
    owners: new Map([...ownersByName(groups), ...ownersByIdentity(namespaces)]),
  };
}

/** Each upstream has its own manager, which operates its workloads with its own image. */
function byUpstream(instance: Instance, { namespace, entries }: NamespaceGroup): NamespaceGroup[] {
  const { environment } = namespace;
  return [...Map.groupBy(entries, ({ integration }) => integration.upstream ?? DEFAULT_UPSTREAM)].map(
    ([upstream, own]) => {
      const image = managerImages(instance, upstream).get(environment.name);
      const parameters = { ...environment.parameters, ...image };
      return { namespace: { ...namespace, environment: { ...environment, parameters } }, entries: own };
    },
  );
}

/** The objects of a namespace in one list, without duplicates from several managers. */
function joined(namespaces: readonly DesiredNamespace[]): DesiredNamespace[] {
  return [...Map.groupBy(namespaces, (place) => `${place.cluster}/${place.namespace}`).values()].flatMap((places) => {
    const [first] = places;
    const objects = new Map(places.flatMap((place) => place.objects.map((object) => [idOf(place, object), object])));
    return first === undefined ? [] : [{ ...first, objects: [...objects.values()] }];
  });
}

function ownersByName(groups: readonly NamespaceGroup[]): RenderedWorkloads['owners'] {
  return new Map(
    groups.flatMap(({ namespace, entries }) =>
      entries.flatMap(({ integration, entry, shards }) =>
        shards.map((shard) => [
          workloadKey(namespace.cluster.name, namespace.name, workloadOf(entry), objectName(integration, shard)),
          { integration: integration.name, shard: shard.name },
        ]),
      ),
    ),
  );
}

/** Identity annotations take precedence over names, which depend on the chart. */
function ownersByIdentity(namespaces: readonly DesiredNamespace[]): RenderedWorkloads['owners'] {
  return new Map(
    namespaces.flatMap((place) =>
      place.objects.flatMap((object) => {
        const identity = identityOf(object);
        return identity === undefined ? [] : [[idOf(place, object), identity] as const];
      }),
    ),
  );
}

/** Mass changes that the manager's guard would refuse. */
function guard(objects: readonly GuardedObject[]): string[] {
  const counted = objects.map(({ cluster, environment, goes }): CountedObject => {
    return { cluster, environment, ...(goes ? { goes: 'now' } : {}) };
  });
  return guardBreaches(counted).map(breachText);
}

function idOf({ cluster, namespace }: DesiredNamespace, object: DesiredNamespace['objects'][number]): string {
  return workloadKey(cluster, namespace, object.kind, object.metadata.name);
}
