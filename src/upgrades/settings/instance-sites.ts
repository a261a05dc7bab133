import type { Instance, OcmEnvironment, OcmLogin, Organization, VaultSecret } from '../../instance/index.ts';
import { declaredPolicies } from '../policies/organization-file.ts';
import type { HealthProvider, Site } from '../scheduler/ports.ts';
import type { Connect, OcmAccess } from './connections.ts';
import type { LoginCredentials } from './credentials.ts';
import { instanceTelemetry } from './instance-telemetry.ts';
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

function healthOf(
  openTelemetry: UpgradesPorts['openTelemetry'],
  instance: Instance,
  environment: OcmEnvironment,
  secret: ReadSecret,
): ReadonlyMap<string, HealthProvider> {
  const access = instanceTelemetry(instance, environment, secret);
  return new Map(access === undefined ? [] : [['telemeter', openTelemetry(access)]]);
}
