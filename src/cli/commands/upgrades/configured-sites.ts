import { defined } from '../../../base/index.ts';
import type { OrgId } from '../../../instance/index.ts';
import type { HealthProvider, ServedOrganization, Site } from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import type { ConfigFile, ConfiguredCredentials, UpgradesConfig } from './config-file.ts';
import { readCredentials } from './credentials.ts';
import type { Connect } from './ocm-connections.ts';
import { telemetry } from './telemetry.ts';

type Environment = UpgradesConfig['environments'][number];

/** The OCMs of a configuration file, with whom they are to serve. */
export function configuredSites(io: Io, { config, folder }: ConfigFile, connect: Connect): Site[] {
  return config.environments.map((environment) => {
    const { name, url, tokenUrl, credentials } = environment;
    return {
      name,
      connect: connect({
        ...{ environment: name, url, ...defined({ tokenUrl }) },
        key: JSON.stringify(credentials),
        clientId: credentials.clientId ?? '',
        credentials: async () => readCredentials(io, folder, credentials),
      }),
      serves: (orgId) => served(config, environment, orgId),
      health: healthOf(io, folder, environment),
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
  io: Io,
  folder: string,
  { telemetry: given, tokenUrl }: Environment,
): ReadonlyMap<string, HealthProvider> {
  if (given === undefined) return new Map();
  const login: ConfiguredCredentials = given.credentials;
  const at = given.tokenUrl ?? tokenUrl;
  return new Map([
    [
      'telemeter',
      telemetry({
        ...{ url: given.url, signal: io.signal, credentials: async () => readCredentials(io, folder, login) },
        ...defined({ tokenUrl: at, query: given.query }),
      }),
    ],
  ]);
}
