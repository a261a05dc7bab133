import * as z from 'zod';
import { defined } from '../../base/index.ts';
import type { Instance, OcmEnvironment, VaultSecret } from '../../instance/index.ts';
import type { LoginCredentials } from './credentials.ts';
import type { TelemetryAccess } from './ports.ts';

type ReadSecret = (secret: VaultSecret) => Promise<string>;

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
    credentials: () => credentialsOf(auth, secret),
  };
}

async function credentialsOf(auth: Auth, secret: ReadSecret): Promise<LoginCredentials> {
  if (auth.provider === 'bearer') return { kind: 'access-token', token: await secret(auth.token) };
  const { accessTokenClientId: clientId, accessTokenClientSecret } = auth;
  return { kind: 'client-credentials', clientId, clientSecret: await secret(accessTokenClientSecret) };
}
