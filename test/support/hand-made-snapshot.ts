import type { Snapshot } from '../../src/instance/index.ts';
import { loadYaml } from '../../src/instance/yaml/yaml11.ts';

type Content = Readonly<Record<string, unknown>>;

export interface SnapshotParts {
  readonly resources?: readonly string[];
  /** Texts of Echelon's own resources. */
  readonly own?: Readonly<Record<string, string>>;
  /** Datafiles that exist but could not be read. */
  readonly unreadable?: readonly string[];
  readonly schemas?: Readonly<Record<string, unknown>>;
}

/** A snapshot of datafiles by path, each as its content or as the text of a YAML file; texts give findings lines. */
export function handMadeSnapshot(
  files: Readonly<Record<string, Content | string>>,
  parts: SnapshotParts = {},
): Snapshot {
  const datafiles = Object.entries(files).map(([path, file]) => {
    const content = typeof file === 'string' ? (loadYaml(file).value as Content) : file;
    const schema = content['$schema'];
    return [path, typeof schema === 'string' ? { path, schema, content } : { path, content }] as const;
  });
  return {
    origin: 'hand-made',
    kind: 'directory',
    revision: { id: 'hand-made', sha256: '0'.repeat(64) },
    datafiles: new Map(datafiles),
    unreadable: new Set(parts.unreadable),
    ...(parts.resources === undefined ? {} : { resources: new Set(parts.resources) }),
    ...(parts.schemas === undefined ? {} : { schemas: new Map(Object.entries(parts.schemas)) }),
    echelonFiles: new Map(Object.entries(parts.own ?? {})),
    env: new Map(),
    problems: [],
    text: (path) => {
      const file = files[path];
      return typeof file === 'string' ? file : undefined;
    },
  };
}

export const ref = (path: string): Content => ({ $ref: path });

const SECRET = { path: 'some/path', field: 'token' };

export const account = (name: string, more: Content = {}): Content => ({
  $schema: '/aws/account-1.yml',
  name,
  uid: `uid of ${name}`,
  resourcesDefaultRegion: 'us-east-1',
  ...more,
});

export const cluster = (name: string, more: Content = {}): Content => ({
  $schema: '/openshift/cluster-1.yml',
  name,
  serverUrl: `https://api.${name}.example.com`,
  ...more,
});

export const ocmEnvironment = (name: string, more: Content = {}): Content => ({
  $schema: '/openshift/openshift-cluster-manager-environment-1.yml',
  name,
  url: `https://${name}.example.com`,
  accessTokenClientId: `client of ${name}`,
  accessTokenUrl: `https://sso.example.com/${name}`,
  accessTokenClientSecret: SECRET,
  ...more,
});

export const organization = (name: string, environment: string, more: Content = {}): Content => ({
  $schema: '/openshift/openshift-cluster-manager-1.yml',
  name,
  orgId: `id of ${name}`,
  environment: ref(environment),
  ...more,
});

export const zone = (identifier: string, more: Content = {}): Content => ({
  $schema: '/cloudflare/dns-zone-1.yml',
  identifier,
  zone: `${identifier}.example.com`,
  ...more,
});

export const product = (name: string): Content => ({ $schema: '/app-sre/product-1.yml', name });

export const environment = (name: string, owner: string, more: Content = {}): Content => ({
  $schema: '/app-sre/environment-1.yml',
  name,
  product: ref(owner),
  servicePhase: 'stage',
  ...more,
});

export const leanNamespace = (name: string, more: Content = {}): Content => ({
  $schema: '/openshift/lean-namespace-1.yml',
  name,
  cluster: { name: 'lab', serverUrl: 'https://api.lab.example.com', automationToken: SECRET },
  environment: { name: 'lab' },
  ...more,
});

export const integration = (name: string, more: Content = {}): Content => ({
  $schema: '/app-sre/integration-1.yml',
  name,
  description: `what ${name} does`,
  schemas: [],
  ...more,
});

/** A `managed` entry. */
export const managedIn = (namespace: string, more: Content = {}): Content => ({
  namespace: ref(namespace),
  spec: { resources: {} },
  ...more,
});
