import * as z from 'zod';
import type { OcmCredentials } from '../../../clients/ocm/index.ts';
import { type SecretReader, type SecretRef, secretField } from '../../../clients/secrets/index.ts';
import type { Instance, OcmEnvironment, OcmLogin, Organization } from '../../../instance/index.ts';
import { declaredPolicies, type HealthProvider, type Site } from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import type { Connect, OcmAccess } from './ocm-connections.ts';
import { telemetry } from './telemetry.ts';

/** Where the policies of clusters are declared: in labels of OCM, or in the files of organizations. */
export type PolicySource = 'labels' | 'files';

export interface InstanceSiteOptions {
  readonly integration: string;
  readonly policies: PolicySource;
  readonly secrets: () => SecretReader;
  readonly connect: Connect;
}

/** The OCMs of an instance. Only organizations that it registers, and does not switch this off for, are served. */
export function instanceSites(
  io: Io,
  instance: Instance,
  { integration, policies, secrets, connect }: InstanceSiteOptions,
): Site[] {
  return instance.ocmEnvironments.map((environment) => {
    const registered = instance.organizations.filter(
      (organization) =>
        organization.environment.file === environment.file && !organization.disabledIntegrations.includes(integration),
    );
    const byId = new Map<string, Organization>(registered.map((organization) => [organization.orgId, organization]));
    return {
      name: environment.name,
      connect: connect(accessTo(environment, environment, secrets)),
      serves: (id) => {
        const found = byId.get(id);
        if (found === undefined) return undefined;
        const { orgId, name, healthChecks, login } = found;
        const own = sameLogin(login, environment) ? {} : { connect: connect(accessTo(environment, login, secrets)) };
        return { orgId, name, healthChecks, ...own };
      },
      health: healthOf(io, instance, environment, secrets),
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

function accessTo(environment: OcmEnvironment, login: OcmLogin, secrets: () => SecretReader): OcmAccess {
  return {
    environment: environment.name,
    url: environment.url,
    tokenUrl: login.accessTokenUrl,
    key: keyOf(login),
    clientId: login.accessTokenClientId,
    credentials: () => credentialsOf(login.accessTokenClientId, login.accessTokenClientSecret, secrets),
  };
}

async function credentialsOf(clientId: string, ref: SecretRef, secrets: () => SecretReader): Promise<OcmCredentials> {
  return { kind: 'client-credentials', clientId, clientSecret: await secretField(secrets(), ref) };
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

/** The Prometheus that the file of the environment refers to, where the source of the instance has that. */
function healthOf(
  io: Io,
  { snapshot }: Instance,
  { file }: OcmEnvironment,
  secrets: () => SecretReader,
): ReadonlyMap<string, HealthProvider> {
  const referred = reference.safeParse(snapshot.datafiles.get(file)?.content);
  if (!referred.success) return new Map();
  const found = prometheus.safeParse(snapshot.datafiles.get(referred.data.telemeter.$ref)?.content);
  if (!found.success) return new Map();
  const { baseUrl, queryPath, auth } = found.data;
  const provider = telemetry({
    url: baseUrl.replace(/\/+$/, '') + queryPath,
    tokenUrl: auth.accessTokenUrl,
    credentials: () => credentialsOf(auth.accessTokenClientId, auth.accessTokenClientSecret, secrets),
    signal: io.signal,
  });
  return new Map([['telemeter', provider]]);
}
