import * as z from 'zod';
import { defined } from '../../base/index.ts';
import type { Instance, OcmEnvironment, OcmLogin, Organization, OrgId, VaultSecret } from '../../instance/index.ts';
import type { PolicySource } from '../policies/org-spec.ts';
import { declaredPolicies } from '../policies/organization-file.ts';
import type { HealthProvider, ServedOrganization, Site, UpgradeApi } from '../scheduler/ports.ts';
import { type ConfigFile, type ConfiguredCredentials, readCredentials, type UpgradesConfig } from './config-file.ts';
import type { LoginCredentials, OcmAccess, TelemetryAccess, UpgradesPorts } from './ports.ts';

type ReadSecret = (secret: VaultSecret) => Promise<string>;

interface InstanceSiteOptions {
  readonly integration: string;
  readonly policies: PolicySource;
  readonly secret: ReadSecret;
  readonly connect: Connect;
}

/** The OCMs of an instance. Serves only registered organizations that do not disable the integration. */
export function instanceSites(
  { openTelemetry }: Pick<UpgradesPorts, 'openTelemetry'>,
  instance: Instance,
  { integration, policies, secret, connect }: InstanceSiteOptions,
): Site[] {
  return instance.ocmEnvironments.map((environment) => {
    const registered = instance.organizations.filter(
      (organization) =>
        organization.environment.file === environment.file && !organization.disabledIntegrations.includes(integration),
    );
    const byId = new Map<string, Organization>(registered.map((organization) => [organization.orgId, organization]));
    return {
      name: environment.name,
      connect: connect(accessTo(environment, environment, secret)),
      serves: (id) => {
        const found = byId.get(id);
        if (found === undefined) return undefined;
        const { orgId, name, healthChecks, login } = found;
        const own = sameLogin(login, environment) ? {} : { connect: connect(accessTo(environment, login, secret)) };
        return { orgId, name, healthChecks, ...own };
      },
      health: instanceHealth(openTelemetry, instance, environment, secret),
      ...(policies === 'files' ? { declared: declaredPolicies(instance.organizations, environment.file) } : {}),
    };
  });
}

function sameLogin(a: OcmLogin, b: OcmLogin): boolean {
  return keyOf(a) === keyOf(b);
}

function keyOf({ accessTokenClientId, accessTokenUrl, accessTokenClientSecret }: OcmLogin): string {
  return JSON.stringify([accessTokenClientId, accessTokenUrl, accessTokenClientSecret]);
}

function accessTo(environment: OcmEnvironment, login: OcmLogin, secret: ReadSecret): OcmAccess {
  return {
    environment: environment.name,
    url: environment.url,
    tokenUrl: login.accessTokenUrl,
    key: keyOf(login),
    clientId: login.accessTokenClientId,
    credentials: () => credentialsOf(login.accessTokenClientId, login.accessTokenClientSecret, secret),
  };
}

async function credentialsOf(clientId: string, named: VaultSecret, secret: ReadSecret): Promise<LoginCredentials> {
  return { kind: 'client-credentials', clientId, clientSecret: await secret(named) };
}

function instanceHealth(
  openTelemetry: UpgradesPorts['openTelemetry'],
  instance: Instance,
  environment: OcmEnvironment,
  secret: ReadSecret,
): ReadonlyMap<string, HealthProvider> {
  const access = instanceTelemetry(instance, environment, secret);
  return new Map(access === undefined ? [] : [['telemeter', openTelemetry(access)]]);
}

type Environment = UpgradesConfig['environments'][number];

/** The OCMs of a configuration file, with the organizations to serve. */
export function configuredSites(ports: UpgradesPorts, { config, folder }: ConfigFile, connect: Connect): Site[] {
  return config.environments.map((environment) => {
    const { name, url, tokenUrl, credentials } = environment;
    return {
      name,
      connect: connect({
        ...{ environment: name, url, ...defined({ tokenUrl }) },
        key: JSON.stringify(credentials),
        clientId: credentials.clientId ?? '',
        credentials: async () => readCredentials(ports, folder, credentials),
      }),
      serves: (orgId) => served(config, environment, orgId),
      health: configuredHealth(ports, folder, environment),
    };
  });
}

function served(
  { organizations: { allow, deny }, healthChecks }: UpgradesConfig,
  environment: Environment,
  id: string,
): ServedOrganization | undefined {
  if (deny.includes(id)) return undefined;
  const orgId = id as OrgId;
  if (allow === 'all') return { orgId, healthChecks };
  const found = allow.find(
    (each) => each.id === id && (!('environment' in each) || each.environment === environment.name),
  );
  if (found === undefined) return undefined;
  return {
    orgId,
    ...('name' in found && found.name !== undefined ? { name: found.name } : {}),
    healthChecks: ('healthChecks' in found ? found.healthChecks : undefined) ?? healthChecks,
  };
}

function configuredHealth(
  ports: UpgradesPorts,
  folder: string,
  { telemetry: given, tokenUrl }: Environment,
): ReadonlyMap<string, HealthProvider> {
  if (given === undefined) return new Map();
  const login: ConfiguredCredentials = given.credentials;
  const at = given.tokenUrl ?? tokenUrl;
  return new Map([
    [
      'telemeter',
      ports.openTelemetry({
        ...{ url: given.url, credentials: async () => readCredentials(ports, folder, login) },
        ...defined({ tokenUrl: at, query: given.query }),
      }),
    ],
  ]);
}

const secretShape = z.object({
  path: z.string(),
  field: z.string(),
  format: z.enum(['plain', 'base64']).exactOptional(),
  version: z.number().int().exactOptional(),
});

const authShape = z.discriminatedUnion('provider', [
  z.object({ provider: z.literal('bearer'), token: secretShape }),
  z.object({
    provider: z.literal('oidc'),
    accessTokenClientId: z.string(),
    accessTokenUrl: z.string(),
    accessTokenClientSecret: secretShape,
  }),
]);

type Auth = z.infer<typeof authShape>;

const reference = z.object({ telemeter: z.object({ $ref: z.string() }) });
const prometheus = z.object({
  baseUrl: z.string(),
  queryPath: z.string().default('api/v1/query'),
  auth: authShape,
  /** The schema of the file has no key of its own for the query. */
  labels: z.object({ healthQuery: z.string().min(1).exactOptional() }).default({}),
});

/** The Prometheus that the environment file refers to, if the instance source has one. */
export function instanceTelemetry(
  { snapshot }: Pick<Instance, 'snapshot'>,
  { file }: Pick<OcmEnvironment, 'file'>,
  secret: ReadSecret,
): TelemetryAccess | undefined {
  const referred = reference.safeParse(snapshot.datafiles.get(file)?.content);
  if (!referred.success) return undefined;
  const found = prometheus.safeParse(snapshot.datafiles.get(referred.data.telemeter.$ref)?.content);
  if (!found.success) return undefined;
  const { baseUrl, queryPath, auth, labels } = found.data;
  return {
    url: `${baseUrl.replace(/\/+$/, '')}/${queryPath.replace(/^\/+/, '')}`,
    ...(auth.provider === 'oidc' ? { tokenUrl: auth.accessTokenUrl } : {}),
    ...defined({ query: labels.healthQuery }),
    credentials: () => telemetryCredentials(auth, secret),
  };
}

async function telemetryCredentials(auth: Auth, secret: ReadSecret): Promise<LoginCredentials> {
  if (auth.provider === 'bearer') return { kind: 'access-token', token: await secret(auth.token) };
  const { accessTokenClientId: clientId, accessTokenClientSecret } = auth;
  return { kind: 'client-credentials', clientId, clientSecret: await secret(accessTokenClientSecret) };
}

type OpenOcm = (access: OcmAccess, credentials: LoginCredentials, onToken: (status: number) => void) => UpgradeApi;

/** Statuses of a token server for invalid or expired credentials. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403]);

/** Connections, and so tokens, are reused between passes. One with rejected credentials is opened again. */
type Connect = (access: OcmAccess) => () => Promise<UpgradeApi>;

export function ocmConnections(openOcm: OpenOcm): Connect {
  const open = new Map<string, Promise<UpgradeApi>>();
  const make = async (access: OcmAccess, forget: () => void): Promise<UpgradeApi> =>
    openOcm(access, await access.credentials(), (status) => {
      if (REFUSED.has(status)) forget();
    });
  return (access) => {
    const key = JSON.stringify([access.environment, access.url, access.tokenUrl, access.key]);
    const forget = (): void => void open.delete(key);
    return () => {
      const known = open.get(key) ?? make(access, forget);
      open.set(key, known);
      known.catch(forget);
      return known;
    };
  };
}
