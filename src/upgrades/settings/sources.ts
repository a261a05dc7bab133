import { count, didYouMean, EchelonError, type StateStore } from '../../base/index.ts';
import { type Instance, loadInstance, revisionKey, type VaultSecret } from '../../instance/index.ts';
import { DEFAULT_RULES, parseRules, type Rules } from '../engine/rules.ts';
import { isSelected, type Selection, type Site } from '../scheduler/ports.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import { configuredSites } from './configured-sites.ts';
import { ocmConnections } from './connections.ts';
import { instanceSites } from './instance-sites.ts';
import { purposeOf, type SourcePurpose } from './policy-purpose.ts';
import type { UpgradesPorts } from './ports.ts';
import type { UpgradesSettings } from './settings.ts';
import { statePlace } from './state-place.ts';

/** What to serve now. */
interface Sites {
  readonly sites: readonly Site[];
  readonly neighbours: readonly Site[];
  /** Warnings for the owner of the configuration. */
  readonly notes: readonly string[];
}

interface UpgradeSources {
  /** As the instance or the configuration declares them now; unchanged parts are the same object. */
  load(signal?: AbortSignal): Promise<Sites>;
  readonly store: StateStore;
  readonly rules: Rules;
  readonly ignoreSts: boolean;
}

/** Sites, rules and state, from an instance or from a configuration file. Settings win over variables and files. */
export async function openSources(
  settings: UpgradesSettings,
  ports: UpgradesPorts,
  purpose: SourcePurpose = purposeOf(settings),
): Promise<UpgradeSources> {
  const { env } = ports;
  const file = settings.configFile === undefined ? undefined : readConfigFile(ports, settings.configFile);
  const rules = settings.rules ?? file?.config.rules;
  const selection = { only: settings.orgId ?? [], except: settings.excludeOrgId ?? [] };
  const environment = settings.ocmEnv ?? (env['AUS_OCM_ENV'] || undefined);
  const declared = file === undefined ? await ofInstance(ports, purpose) : ofFile(ports, file);
  return {
    load: async (signal) => narrowed(await declared(signal ?? ports.signal), environment, selection),
    store: ports.openStore(statePlace(ports, settings.state, file)),
    rules: rules === undefined ? DEFAULT_RULES : parseRules(rules),
    ignoreSts: settings.ignoreStsClusters ?? file?.config.ignoreStsClusters ?? Boolean(env['IGNORE_STS_CLUSTERS']),
  };
}

/** Which organizations an instance or a configuration file names, in any environment. Connects to nothing. */
export async function servedOrganizations(
  settings: Pick<UpgradesSettings, 'configFile'>,
  ports: UpgradesPorts,
): Promise<{ isServed(orgId: string): boolean; readonly notes: readonly string[] }> {
  const { configFile } = settings;
  const declared =
    configFile === undefined
      ? await ofInstance(ports, purposeOf(settings))
      : ofFile(ports, readConfigFile(ports, configFile));
  const { sites, notes } = await declared(ports.signal);
  return { isServed: (orgId) => sites.some((site) => site.serves(orgId) !== undefined), notes };
}

type Declared = (signal: AbortSignal) => Promise<Pick<Sites, 'sites' | 'notes'>>;

function ofFile(ports: UpgradesPorts, file: ConfigFile): Declared {
  const sites = configuredSites(ports, file, ocmConnections(ports.openOcm));
  return async () => ({ sites, notes: [] });
}

/** The instance is read again when it has changed. */
async function ofInstance(ports: UpgradesPorts, purpose: SourcePurpose): Promise<Declared> {
  const { source, secrets } = await ports.instance();
  const connect = ocmConnections(ports.openOcm);
  let known: { readonly state: string; readonly declared: Awaited<ReturnType<Declared>> } | undefined;
  return async (signal) => {
    const state = await source.currentRevision().catch(() => undefined);
    if (known !== undefined && state === known.state) return known.declared;
    const instance = await loadInstance(source, { signal });
    const reader = once(() => secrets(instance));
    const secret = (named: VaultSecret): Promise<string> => reader()(named);
    const sites = instanceSites(ports, instance, { ...purpose, secret, connect });
    known = { state: revisionKey(instance.snapshot.revision), declared: { sites, notes: notesOn(instance) } };
    return known.declared;
  };
}

function notesOn({ snapshot, findings }: Instance): string[] {
  const errors = [...snapshot.problems, ...findings].filter(({ severity }) => severity === 'error').length;
  if (errors === 0) return [];
  return [`${count(errors, 'error')} in this instance; the affected parts are left out: run echelon validate`];
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
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
    .map((orgId) => `organization ${orgId} is not registered, or is disabled, so it is not served`);
}

function noEnvironment(name: string | undefined, all: readonly Site[]): EchelonError {
  const names = all.map((site) => site.name);
  return new EchelonError({
    code: 'OCM_ENVIRONMENT_UNKNOWN',
    message: name === undefined ? 'no OCM environment is declared' : `no OCM environment ${name}`,
    hint: didYouMean(name ?? '', names, 'declare one in the instance, or pass a configuration with --config-file'),
  });
}
