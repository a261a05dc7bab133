import { defined, EchelonError } from '../../base/index.ts';
import { DEFAULT_UPSTREAM, type Instance, type ManagerFile } from '../../instance/index.ts';
import type { Capabilities } from '../../sharding/index.ts';
import type { ImageSettings } from '../desired/image-parameters.ts';
import type { RenderScope } from '../desired/select.ts';
import type { FleetPlanOptions } from '../plan/fleet-plan.ts';

/** A user's settings for a manager, from flags; some fall back to environment variables. */
export interface ManagerChoices {
  readonly environmentName?: string;
  readonly upstream?: string;
  readonly chart?: string;
  readonly image?: string;
  readonly imageTagFromRef?: readonly string[];
  readonly parameter?: readonly string[];
  readonly cluster?: readonly string[];
  readonly namespace?: readonly string[];
  /** Only internal clusters, or with false only the others. */
  readonly internal?: boolean;
  readonly integration?: readonly string[];
  readonly adopt?: boolean;
  readonly recreate?: boolean;
  readonly forceConflicts?: boolean;
  readonly adoptTemplates?: boolean;
  readonly allowMassDeletion?: boolean;
  readonly maxImageChanges?: number;
  readonly concurrency?: number;
}

/** What a manager operates, and what it is allowed to do. */
export interface ManagerSettings {
  readonly scope: RenderScope;
  /** The upstream whose manager this is; it does not own other managers' objects. */
  readonly caller: string;
  /** With a manager.yml and no upstream in scope: all upstreams, whose objects are this manager's too. */
  readonly callers?: readonly string[];
  /** What the instance's manager.yml declares. */
  readonly file?: ManagerFile;
  /** All environments were asked for: the defaults of manager.yml restrict nothing. */
  readonly isScopeGiven?: boolean;
  readonly capabilities?: Capabilities;
  /** Objects are named by another chart than the built-in one. */
  readonly otherChart?: boolean;
  readonly images: ImageSettings;
  /** Only these clusters and namespaces; all when absent. They are observed even if nothing is declared there. */
  readonly clusters?: readonly string[];
  readonly namespaces?: readonly string[];
  /** Only internal clusters, or with false only the others; the rest is not accessed. */
  readonly internal?: boolean;
  /** Plan and show the status of these integrations only; of all when absent. Such a plan deletes nothing. */
  readonly integrations?: readonly string[];
  readonly consent: Pick<
    FleetPlanOptions,
    'adopt' | 'adoptTemplates' | 'recreate' | 'forceConflicts' | 'allowMassDeletion' | 'maxImageChanges'
  >;
  /** Concurrent writes per cluster. */
  readonly concurrency?: number;
}

/** Flags, then environment variables, then the defaults of existing fleets. An empty environment name means all. */
export function managerSettings(
  choices: ManagerChoices,
  env: Readonly<Record<string, string | undefined>>,
  capabilities?: Capabilities,
): ManagerSettings {
  const environment = (choices.environmentName ?? env['ENVIRONMENT_NAME']) || undefined;
  const upstream = choices.upstream ?? (env['INTEGRATIONS_MANAGER_UPSTREAM'] || undefined);
  const image = choices.image ?? (env['INTEGRATIONS_MANAGER_IMAGE'] || undefined);
  const { internal } = choices;
  if (internal !== undefined && choices.cluster !== undefined) throw twoSelections(internal);
  const { adopt, adoptTemplates, recreate, forceConflicts, allowMassDeletion, maxImageChanges } = choices;
  const given = { isScopeGiven: choices.environmentName === '', otherChart: choices.chart !== undefined };
  return {
    scope: defined({ environment, upstream }),
    caller: upstream ?? DEFAULT_UPSTREAM,
    images: {
      tagsFromRefs: choices.imageTagFromRef ?? words(env['INTEGRATIONS_MANAGER_IMAGE_TAG_FROM_REF']),
      parameters: choices.parameter ?? [],
      process: env,
      ...defined({ image }),
    },
    consent: defined({ adopt, adoptTemplates, recreate, forceConflicts, allowMassDeletion, maxImageChanges }),
    ...given,
    ...defined({
      capabilities,
      clusters: choices.cluster,
      namespaces: choices.namespace,
      internal,
      integrations: choices.integration,
      concurrency: choices.concurrency,
    }),
  };
}

/** The settings with what the instance's manager.yml says: defaults of the scope, and whose objects are this manager's. */
export function withManagerFile(
  settings: ManagerSettings,
  file: ManagerFile | undefined,
  { integrations }: Pick<Instance, 'integrations'>,
): ManagerSettings {
  if (file === undefined) return settings;
  const { upstreams } = file;
  const given = scopeWith(settings, file);
  const urls = [...upstreams.map(({ url }) => url), ...integrations.map(({ upstream }) => upstream)];
  const callers = [...new Set([DEFAULT_UPSTREAM, ...urls.flatMap((url) => url ?? [])])];
  return {
    ...settings,
    file,
    scope: given,
    caller: given.upstream ?? settings.caller,
    ...(given.upstream === undefined ? { callers } : {}),
    ...(upstreams.some(({ chart }) => chart !== undefined) ? { otherChart: true } : {}),
  };
}

/** The scope of a manager with these choices: flags, then variables, then the defaults of manager.yml. */
export function operatedScope(
  { environmentName, upstream }: Pick<ManagerChoices, 'environmentName' | 'upstream'>,
  env: Readonly<Record<string, string | undefined>>,
  file?: ManagerFile,
): RenderScope {
  return scopeWith(managerSettings(defined({ environmentName, upstream }), env), file);
}

function scopeWith({ scope, isScopeGiven }: ManagerSettings, file: ManagerFile | undefined): RenderScope {
  return isScopeGiven === true ? scope : { ...file?.defaults, ...scope };
}

function twoSelections(internal: boolean): EchelonError {
  return new EchelonError({
    code: 'FLAG_INVALID',
    message: `--${internal ? 'internal' : 'external'} cannot be combined with --cluster`,
    hint: 'pass one of them',
  });
}

/** The flag is repeatable; the variable holds values separated by spaces. */
function words(text: string | undefined): string[] {
  return (text ?? '').split(/\s+/).filter((word) => word !== '');
}
