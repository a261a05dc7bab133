import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import { defined, EchelonError, messageOf } from '../../base/index.ts';
import { loadYamlDocuments, locatedIn } from '../../instance/index.ts';
import type { FilePorts, LoginCredentials } from './ports.ts';

const text = z.string().min(1);
const healthChecks = z.array(z.strictObject({ provider: text, enforced: z.boolean() }));

const WAYS = ['clientSecret', 'offlineToken', 'accessToken'] as const;

/** Where a secret is: an environment variable, or a file. Never the secret itself. */
const credentials = z
  .strictObject({
    clientId: text.exactOptional(),
    clientSecretEnv: text.exactOptional(),
    clientSecretFile: text.exactOptional(),
    offlineTokenEnv: text.exactOptional(),
    offlineTokenFile: text.exactOptional(),
    accessTokenEnv: text.exactOptional(),
    accessTokenFile: text.exactOptional(),
  })
  .superRefine((given, context) => {
    const found = WAYS.flatMap((way) => [`${way}Env`, `${way}File`] as const).filter((key) => given[key] !== undefined);
    if (found.length !== 1) {
      const all = WAYS.map((way) => `${way}Env`).join(', ');
      context.addIssue({ code: 'custom', message: `set exactly one secret: one of ${all}, or the same with File` });
    } else if (found[0]?.startsWith('clientSecret') && given.clientId === undefined) {
      context.addIssue({ code: 'custom', message: 'a client secret needs a clientId' });
    }
  })
  .meta({
    oneOf: WAYS.flatMap((way) => [{ required: [`${way}Env`] }, { required: [`${way}File`] }]),
    dependencies: { clientSecretEnv: ['clientId'], clientSecretFile: ['clientId'] },
  });

const url = z
  .url({ protocol: /^https?$/, error: 'it must be a URL such as https://api.openshift.com' })
  .meta({ pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?:' });

const environment = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/, 'it must be a name such as production'),
  url,
  tokenUrl: url.exactOptional(),
  credentials,
  telemetry: z
    .strictObject({ url, tokenUrl: url.exactOptional(), credentials, query: text.exactOptional() })
    .exactOptional(),
});

/** Histories are stored by environment name. */
function uniqueNames(environments: readonly { readonly name: string }[], context: z.RefinementCtx): void {
  for (const [index, { name }] of environments.entries()) {
    if (environments.findIndex((each) => each.name === name) === index) continue;
    context.addIssue({ code: 'custom', message: `duplicate environment ${name}`, path: [index, 'name'] });
  }
}

const organization = z.union([
  text.transform((id) => ({ id })),
  z.strictObject({
    id: text,
    name: text.exactOptional(),
    environment: text.exactOptional(),
    healthChecks: healthChecks.exactOptional(),
  }),
]);

const state = z.union([
  text,
  z.strictObject({
    bucket: text,
    prefix: z.string().exactOptional(),
    region: text.exactOptional(),
    endpoint: url.exactOptional(),
    pathStyle: z.boolean().exactOptional(),
  }),
]);

/** What the file may contain. */
export const upgradesShape = z.strictObject({
  environments: z.array(environment).min(1).superRefine(uniqueNames),
  organizations: z.strictObject({
    /** `all` must be explicit. */
    allow: z.union([z.literal('all'), z.array(organization)]),
    deny: z.array(text).default([]),
  }),
  healthChecks: healthChecks.default([]),
  rules: text.exactOptional(),
  ignoreStsClusters: z.boolean().exactOptional(),
  state: state.exactOptional(),
});

export type UpgradesConfig = z.infer<typeof upgradesShape>;
export type ConfiguredCredentials = z.infer<typeof credentials>;
/** The configuration of a service that runs without an instance. Paths in it are relative to its folder. */
export interface ConfigFile {
  readonly config: UpgradesConfig;
  readonly folder: string;
}

const MAX_CONFIG_BYTES = 1024 * 1024;
const MOST_SHOWN = 5;

export function readConfigFile(ports: FilePorts, name: string): ConfigFile {
  const path = resolve(ports.cwd, name);
  const content = textOf(ports, path, name);
  const parsed = upgradesShape.safeParse(yamlOf(content, name));
  if (!parsed.success) throw invalid(locatedIn(name, content, parsed.error.issues));
  return { config: parsed.data, folder: dirname(path) };
}

function textOf({ readFile }: FilePorts, path: string, name: string): string {
  try {
    return readFile(path, MAX_CONFIG_BYTES);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    throw invalid([code === 'EFBIG' ? `${name} is larger than 1 MiB` : `cannot read ${name}: ${code}`]);
  }
}

function yamlOf(content: string, name: string): unknown {
  try {
    return loadYamlDocuments(content)[0];
  } catch (thrown) {
    throw invalid([`${name} is not valid YAML: ${messageOf(thrown)}`]);
  }
}

function invalid(problems: readonly string[]): EchelonError {
  const more = problems.length > MOST_SHOWN ? `; and ${problems.length - MOST_SHOWN} more` : '';
  return new EchelonError({
    code: 'CONFIG_INVALID',
    message: problems.slice(0, MOST_SHOWN).join('; ') + more,
    hint: 'write environments with name, url and credentials, and organizations with allow',
  });
}

/** Reads the secret that a configuration refers to. From then on it is redacted in all output. */
export function readCredentials(ports: FilePorts, folder: string, given: ConfiguredCredentials): LoginCredentials {
  const secret = (variable: string | undefined, file: string | undefined): string | undefined => {
    if (variable !== undefined) return ofVariable(ports, variable);
    return file === undefined ? undefined : ofFile(ports, folder, file);
  };
  const { clientId } = given;
  const clientSecret = secret(given.clientSecretEnv, given.clientSecretFile);
  if (clientSecret !== undefined) return { kind: 'client-credentials', clientId: clientId ?? '', clientSecret };
  const offline = secret(given.offlineTokenEnv, given.offlineTokenFile);
  if (offline !== undefined) {
    return { kind: 'refresh-token', token: offline, ...defined({ clientId }) };
  }
  return { kind: 'access-token', token: secret(given.accessTokenEnv, given.accessTokenFile) ?? '' };
}

function ofVariable(ports: FilePorts, name: string): string {
  return known(ports, ports.env[name] ?? '', `the environment variable ${name} is not set`);
}

function ofFile(ports: FilePorts, folder: string, file: string): string {
  try {
    return known(ports, ports.readFile(resolve(folder, file)), `the file ${file} is empty`);
  } catch (thrown) {
    if (thrown instanceof EchelonError) throw thrown;
    throw missing(`cannot read the file ${file}: ${(thrown as NodeJS.ErrnoException).code}`);
  }
}

function known({ onSecret }: FilePorts, value: string, otherwise: string): string {
  const secret = value.trim();
  if (secret === '') throw missing(otherwise);
  onSecret?.(secret);
  return secret;
}

function missing(message: string): EchelonError {
  return new EchelonError({
    code: 'SECRET_NOT_FOUND',
    message,
    hint: 'provide the secret where the credentials of the environment point, or correct them',
  });
}
