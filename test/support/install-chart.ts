import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadYamlDocuments } from '../../src/instance/index.ts';
import { testHelm } from './render-chart.ts';
import { REPO } from './shared.ts';

/** The chart that installs Echelon itself. */
export const INSTALL_CHART = join(REPO, 'charts/echelon');

export interface ChartObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
  readonly rules?: readonly ChartRule[];
  readonly stringData?: Readonly<Record<string, string>>;
}

export interface ChartRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface Release {
  readonly name?: string;
  readonly namespace?: string;
}

/** What is always needed. */
export const LEAST_VALUES = { image: { repository: 'example/echelon' }, data: 'https://qontract.example.com/graphql' };

export const CONSOLE_VALUES = { enabled: true, token: { existingSecret: 'console-token' }, tls: { atProxy: true } };

/** All components. */
export const ALL_COMPONENTS = {
  ...LEAST_VALUES,
  state: { location: 's3://bucket/state' },
  upgradeScheduler: { enabled: true },
  gateApprover: { enabled: true },
  console: CONSOLE_VALUES,
};

/** Everything that is made on demand. */
export const ON_DEMAND = {
  podDisruptionBudget: { enabled: true },
  networkPolicy: { enabled: true },
  serviceMonitor: { enabled: true },
  prometheusRule: { enabled: true },
};

/** The objects of a release. */
export async function chartObjects(values: object, release: Release = {}): Promise<ChartObject[]> {
  return loadYamlDocuments(await chartText(values, release)).filter((object) => object !== null) as ChartObject[];
}

export async function chartText(
  values: object,
  { name = 'echelon', namespace = 'here' }: Release = {},
): Promise<string> {
  const { code, stdout, stderr } = await helm(['template', name, INSTALL_CHART, '-n', namespace], values);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

interface HelmRan {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs helm with these values, and nothing of the user's settings. */
export async function helm(args: readonly string[], values: object, env: object = {}): Promise<HelmRan> {
  const home = mkdtempSync(join(tmpdir(), 'echelon-helm-'));
  try {
    writeFileSync(join(home, 'values.json'), JSON.stringify(values));
    const all = [...args, '--values', join(home, 'values.json')];
    const binary = await testHelm();
    return await new Promise((resolve) => {
      execFile(binary, all, { env: { HOME: home, ...env }, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

export type Json = Readonly<Record<string, unknown>>;

export interface ChartContainer {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly livenessProbe: Json;
  readonly readinessProbe: Json;
  readonly securityContext: Json;
  readonly resources: Json;
}

export interface ChartPod {
  readonly serviceAccountName: string;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: Json;
  readonly containers: readonly [ChartContainer];
  readonly volumes: readonly ({ readonly name: string } & Json)[];
}

export interface ChartDeployment {
  readonly strategy: Json;
  readonly selector: { readonly matchLabels: Json };
  readonly template: {
    readonly metadata: { readonly labels: Json; readonly annotations?: Json };
    readonly spec: ChartPod;
  };
}

/** Kind, place and name. */
export const idOf = ({ kind, metadata }: ChartObject): string =>
  `${kind} ${metadata.namespace ?? '-'}/${metadata.name}`;
export const ofKind = (objects: readonly ChartObject[], kind: string, name?: string): ChartObject[] =>
  objects.filter((object) => object.kind === kind && (name === undefined || object.metadata.name === name));
export const deploymentOf = (objects: readonly ChartObject[], name: string): ChartDeployment =>
  ofKind(objects, 'Deployment', name)[0]?.spec as ChartDeployment;
export const podOf = (objects: readonly ChartObject[], name: string): ChartPod =>
  deploymentOf(objects, name).template.spec;
/** Every right of roles, as `verb group/resource`. */
export const rightsOf = (objects: readonly ChartObject[]): string[] =>
  objects
    .flatMap(({ rules = [] }) => rules)
    .flatMap(({ apiGroups, resources, verbs }: ChartRule) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${apiGroups[0]}/${resource}`)),
    )
    .sort();
