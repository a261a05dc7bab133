import { join } from 'node:path';
import {
  count,
  didYouMean,
  EchelonError,
  existingBucket,
  parseStateLocation,
  S3_PREFIX,
  type StateLocation,
  type StateStore,
  sha256Of,
} from '../../base/index.ts';
import { type Instance, loadInstance, revisionKey, type VaultSecret } from '../../instance/index.ts';
import { DEFAULT_RULES, parseRules, type Rules } from '../engine/rules.ts';
import type { PolicySource } from '../policies/org-spec.ts';
import { isSelected, type Selection, type Site } from '../scheduler/ports.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import type { FilePorts, UpgradesPorts, Variables } from './ports.ts';
import { configuredSites, instanceSites, ocmConnections } from './sites.ts';

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

/** Settings of the upgrades job; variables and the configuration file are the fallback. */
export interface UpgradesSettings {
  /** Instead of an instance. */
  readonly configFile?: string;
  /** Labels when absent; files are those of an instance. */
  readonly policies?: PolicySource;
  readonly ocmEnv?: string;
  readonly orgId?: readonly string[];
  readonly excludeOrgId?: readonly string[];
  readonly ignoreStsClusters?: boolean;
  readonly rules?: string;
  /** A folder, or `s3://bucket/prefix`. */
  readonly state?: string;
}

/** Integration names, as used in pods and histories. */
export const LABEL_SCHEDULER = 'advanced-upgrade-scheduler';
export const ORG_SCHEDULER = 'ocm-upgrade-scheduler-org';
export const GATE_APPROVER = 'version-gate-approver';

/** The integration that sites are opened for. */
export interface SourcePurpose {
  /** An instance may switch it off for an organization. */
  readonly integration: string;
  readonly policies: PolicySource;
}

/** Which source policies are read from; histories are those of the matching integration. */
export function purposeOf({ policies = 'labels', configFile }: UpgradesSettings): SourcePurpose {
  if (policies === 'labels') return { integration: LABEL_SCHEDULER, policies };
  requireInstance(configFile, '--policies files');
  return { integration: ORG_SCHEDULER, policies };
}

/** A configuration file replaces an instance, but has no cluster policies. */
export function requireInstance(configFile: string | undefined, reader: string): void {
  if (configFile === undefined) return;
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `--config-file ${configFile} declares no cluster policies, which ${reader} reads from an instance`,
    hint: 'pass the instance with --data, or read policies from labels: --policies labels, advanced-upgrade-scheduler',
  });
}

/** The message when no cluster has a policy. */
export function noneServed(policies: PolicySource): string {
  return policies === 'files'
    ? 'no served organization has a cluster that its file names'
    : 'no served organization has a labelled cluster';
}

/**
 * The given place, then ECHELON_STATE, then the configuration file, then the bucket from the variables of the existing
 * tools, else a folder of the user.
 */
export function statePlace(
  ports: Pick<FilePorts, 'env' | 'cwd' | 'onSecret'>,
  setting: string | undefined,
  file: ConfigFile | undefined,
): StateLocation {
  const given = setting ?? (ports.env['ECHELON_STATE'] || undefined);
  if (given !== undefined) return parseStateLocation(given, ports.cwd);
  const configured = file?.config.state;
  if (typeof configured === 'string') return parseStateLocation(configured, file?.folder ?? ports.cwd);
  if (configured !== undefined) return { kind: 's3', prefix: S3_PREFIX, ...configured };
  return existingBucket(ports.env, ports.onSecret) ?? ofUser(ports);
}

function ofUser({ env }: Pick<FilePorts, 'env'>): StateLocation {
  if (env['XDG_STATE_HOME']) return { kind: 'folder', folder: join(env['XDG_STATE_HOME'], 'echelon') };
  const below = join('.local', 'state', 'echelon');
  return env['HOME'] ? { kind: 'folder', folder: join(env['HOME'], below) } : { kind: 'home', below };
}

const HASH_LENGTH = 10;

/** The lease name. Pods that serve different organizations use different leases; hashed, since ids are not valid Kubernetes names. */
export function upgradesLeaseName(settings: UpgradesSettings, env: Variables, integration: string): string {
  const { ocmEnv = env['AUS_OCM_ENV'] ?? '', orgId = [], excludeOrgId = [] } = settings;
  if (ocmEnv === '' && orgId.length + excludeOrgId.length === 0) return integration;
  const scope = JSON.stringify([ocmEnv, orgId.toSorted(), excludeOrgId.toSorted()]);
  return `${integration}-${sha256Of(scope).slice(0, HASH_LENGTH)}`;
}
