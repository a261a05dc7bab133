import { defined } from '../../base/index.ts';
import type { OrgId } from '../../instance/index.ts';
import type { HealthProvider, ServedOrganization, Site } from '../scheduler/ports.ts';
import type { ConfigFile, ConfiguredCredentials, UpgradesConfig } from './config-file.ts';
import type { Connect } from './connections.ts';
import { readCredentials } from './credentials.ts';
import type { UpgradesPorts } from './ports.ts';

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
      health: healthOf(ports, folder, environment),
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

function healthOf(
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
