import * as z from 'zod';
import type { Instance, OcmEnvironment, OcmLogin, Organization, VaultSecret } from '../../instance/index.ts';
import { declaredPolicies } from '../policies/declared-policies.ts';
import type { HealthProvider, Site } from '../scheduler/site.ts';
import type { Connect, OcmAccess } from './connections.ts';
import type { LoginCredentials } from './credentials.ts';
import type { UpgradesPorts } from './ports.ts';

/** Where cluster policies are declared: in OCM labels, or in organization files. */
export type PolicySource = 'labels' | 'files';

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
      health: healthOf(openTelemetry, instance, environment, secret),
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

const reference = z.object({ telemeter: z.object({ $ref: z.string() }) });
const prometheus = z.object({
  baseUrl: z.string(),
  queryPath: z.string().default('/api/v1/query'),
  auth: z.object({
    accessTokenClientId: z.string(),
    accessTokenUrl: z.string(),
    accessTokenClientSecret: z.object({
      path: z.string(),
      field: z.string(),
      format: z.enum(['plain', 'base64']).exactOptional(),
      version: z.number().int().exactOptional(),
    }),
  }),
});

/** The Prometheus that the environment file refers to, if the instance source has one. */
function healthOf(
  openTelemetry: UpgradesPorts['openTelemetry'],
  { snapshot }: Instance,
  { file }: OcmEnvironment,
  secret: ReadSecret,
): ReadonlyMap<string, HealthProvider> {
  const referred = reference.safeParse(snapshot.datafiles.get(file)?.content);
  if (!referred.success) return new Map();
  const found = prometheus.safeParse(snapshot.datafiles.get(referred.data.telemeter.$ref)?.content);
  if (!found.success) return new Map();
  const { baseUrl, queryPath, auth } = found.data;
  const provider = openTelemetry({
    url: baseUrl.replace(/\/+$/, '') + queryPath,
    tokenUrl: auth.accessTokenUrl,
    credentials: () => credentialsOf(auth.accessTokenClientId, auth.accessTokenClientSecret, secret),
  });
  return new Map([['telemeter', provider]]);
}
