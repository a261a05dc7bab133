import { count, defined, didYouMean, EchelonError } from '../../../base/index.ts';
import { openSecrets, type SecretReader } from '../../../clients/secrets/index.ts';
import { type Instance, readInstance, stateOf } from '../../../instance/index.ts';
import {
  DEFAULT_RULES,
  isSelected,
  parseRules,
  type Rules,
  type Selection,
  type Site,
  type StateStore,
} from '../../../upgrades/index.ts';
import { type Config, readConfig } from '../../config.ts';
import { type InstanceFlags, instanceSource } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import { configuredSites } from './configured-sites.ts';
import { instanceSites, type PolicySource } from './instance-sites.ts';
import { type ConnectionOptions, ocmConnections } from './ocm-connections.ts';
import { openState } from './state.ts';

export const INTEGRATION = 'advanced-upgrade-scheduler';

/** What all commands of the scheduler understand. */
export interface SourceFlags extends InstanceFlags {
  /** Instead of an instance. */
  readonly configFile?: string;
  /** Labels when absent; files are those of an instance. Only for commands that look. */
  readonly policies?: PolicySource;
  readonly ocmEnv?: string;
  readonly orgId?: readonly string[];
  readonly excludeOrgId?: readonly string[];
  readonly ignoreStsClusters?: boolean;
  readonly rules?: string;
  readonly state?: string;
  readonly secretsDir?: string;
  readonly concurrency?: number;
}

/** For which integration the sources are. */
export interface SourcePurpose {
  /** An instance may switch it off for an organization. */
  readonly integration: string;
  readonly policies: PolicySource;
}

const SCHEDULER: SourcePurpose = { integration: INTEGRATION, policies: 'labels' };

/** Whom to serve now. */
export interface Sites {
  readonly sites: readonly Site[];
  readonly neighbours: readonly Site[];
  /** What whoever declared this should know. */
  readonly notes: readonly string[];
}

export interface UpgradeSources {
  /** As the instance or the configuration declares them now; what did not change is the same object. */
  load(signal?: AbortSignal): Promise<Sites>;
  readonly store: StateStore;
  readonly rules: Rules;
  readonly ignoreSts: boolean;
}

/** Sites, rules and state of a command, from an instance or from a configuration file. Flags win. */
export async function openSources(
  io: Io,
  flags: SourceFlags,
  options: ConnectionOptions,
  purpose: SourcePurpose = SCHEDULER,
): Promise<UpgradeSources> {
  const file = flags.configFile === undefined ? undefined : readConfigFile(io, flags.configFile);
  const rules = flags.rules ?? file?.config.rules;
  const selection = {
    only: flags.orgId ?? [],
    except: flags.excludeOrgId ?? [],
  };
  const environment = flags.ocmEnv ?? (io.env['AUS_OCM_ENV'] || undefined);
  const declared = file === undefined ? await ofInstance(io, flags, options, purpose) : ofFile(io, file, options);
  return {
    load: async (signal) => narrowed(await declared(signal ?? io.signal), environment, selection),
    store: openState(io, flags.state, file),
    rules: rules === undefined ? DEFAULT_RULES : parseRules(rules),
    ignoreSts: flags.ignoreStsClusters ?? file?.config.ignoreStsClusters ?? Boolean(io.env['IGNORE_STS_CLUSTERS']),
  };
}

type Declared = (signal: AbortSignal) => Promise<Pick<Sites, 'sites' | 'notes'>>;

function ofFile(io: Io, file: ConfigFile, options: ConnectionOptions): Declared {
  const sites = configuredSites(io, file, ocmConnections(io, options));
  return async () => ({ sites, notes: [] });
}

/** The instance is read again when it has changed. */
async function ofInstance(
  io: Io,
  flags: SourceFlags,
  options: ConnectionOptions,
  purpose: SourcePurpose,
): Promise<Declared> {
  const source = await instanceSource(io, flags);
  const config = await readConfig(io, flags.config);
  const connect = ocmConnections(io, options);
  let known: { readonly state: string; readonly declared: Awaited<ReturnType<Declared>> } | undefined;
  return async (signal) => {
    const state = await source.glimpse().catch(() => undefined);
    if (known !== undefined && state === known.state) return known.declared;
    const snapshot = await source.load({ signal });
    const instance = readInstance(snapshot);
    const secrets = once(() => secretsOf(io, flags, config, instance));
    const sites = instanceSites(io, instance, { ...purpose, secrets, connect });
    known = { state: stateOf(snapshot.revision), declared: { sites, notes: notesOn(instance) } };
    return known.declared;
  };
}

function notesOn({ snapshot, findings }: Instance): string[] {
  const errors = [...snapshot.problems, ...findings].filter(({ severity }) => severity === 'error').length;
  if (errors === 0) return [];
  return [`${count(errors, 'error')} in this instance; what is concerned is left out: run echelon validate`];
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function secretsOf(io: Io, flags: SourceFlags, config: Config, { settings }: Instance): SecretReader {
  return openSecrets({
    env: io.env,
    config: config.all ?? {},
    ...defined({ folder: flags.secretsDir, settingsVault: settings?.vault, onSecret: io.onSecret }),
  });
}

/** The other environments stay known as neighbours: organizations there may publish their history. */
function narrowed(
  { sites: all, notes }: Awaited<ReturnType<Declared>>,
  environment: string | undefined,
  selection: Selection,
): Sites {
  const chosen = all.filter(({ name }) => environment === undefined || name === environment);
  if (chosen.length === 0) throw noEnvironment(environment, all);
  return {
    sites: chosen.map((site) => ({
      ...site,
      serves: (orgId) => (isSelected(selection, orgId) ? site.serves(orgId) : undefined),
    })),
    neighbours: all.filter((site) => !chosen.includes(site)),
    notes: [...notes, ...strangers(chosen, selection)],
  };
}

function strangers(sites: readonly Site[], { only = [] }: Selection): string[] {
  return only
    .filter((orgId) => !sites.some((site) => site.serves(orgId) !== undefined))
    .map((orgId) => `organization ${orgId} is not registered, or switched off, and so not served`);
}

function noEnvironment(name: string | undefined, all: readonly Site[]): EchelonError {
  const names = all.map((site) => site.name);
  return new EchelonError({
    code: 'OCM_ENVIRONMENT_UNKNOWN',
    message: name === undefined ? 'no OCM environment is declared' : `there is no OCM environment ${name}`,
    hint: didYouMean(name ?? '', names, 'declare one in the instance, or name a configuration by --config-file'),
  });
}
