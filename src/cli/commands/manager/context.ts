import { readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defined, EchelonError, isJson, messageOf, requireNames } from '../../../base/index.ts';
import { fileCache } from '../../../clients/file-cache/index.ts';
import { findHelm, helmChart } from '../../../clients/helm/index.ts';
import {
  environmentNames,
  type Finding,
  type Instance,
  loadYamlDocuments,
  locateFindings,
  type Problem,
} from '../../../instance/index.ts';
import {
  type ChartRenderer,
  memoryCache,
  type NamespaceGroup,
  type RenderCache,
  type RenderScope,
  selectWorkloads,
} from '../../../manager/index.ts';
import type { Capabilities } from '../../../sharding/index.ts';
import type { InstanceFlags } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import type { Format } from '../../output/format.ts';
import { readFrom } from '../../read-instance.ts';
import { version } from '../../version.ts';

export interface ManagerFlags extends InstanceFlags {
  readonly environmentName?: string;
  readonly upstream?: string;
  readonly capabilities?: string;
  readonly output: Format;
  readonly color?: boolean;
}

export interface ChartFlags {
  readonly chart?: string;
  readonly helm?: string;
  readonly cache: boolean;
}

/** What a manager command works on. */
export interface ManagerContext {
  readonly instance: Instance;
  readonly groups: readonly NamespaceGroup[];
  /** What it was narrowed to. */
  readonly scope: RenderScope;
  /** Everything that is wrong, also with files that concern no workload. */
  readonly problems: readonly Problem[];
}

/** Reads the instance and selects what this manager operates. */
export async function openManager(io: Io, flags: ManagerFlags): Promise<ManagerContext> {
  const capabilities = flags.capabilities === undefined ? undefined : readCapabilities(io, flags.capabilities);
  return selectFrom(io, flags, await readFrom(io, flags), capabilities);
}

/** Selects what this manager operates of an instance. */
export function selectFrom(
  io: Io,
  flags: ManagerFlags,
  instance: Instance,
  capabilities?: Capabilities,
): ManagerContext {
  const environment = flags.environmentName ?? io.env['ENVIRONMENT_NAME'];
  // A mistyped environment has no workloads, and everything that was rendered for it would be taken away.
  if (environment) requireNames('environment', [environment], environmentNames(instance));
  const upstream = flags.upstream ?? (io.env['INTEGRATIONS_MANAGER_UPSTREAM'] || undefined);
  const scope = { ...(environment ? { environment } : {}), ...defined({ upstream }) };
  const options = { ...scope, ...defined({ capabilities }) };
  const { groups, findings } = selectWorkloads(instance, options);
  return { instance, groups, scope, problems: problemsOf(instance, findings) };
}

function problemsOf(instance: Instance, findings: readonly Finding[]): Problem[] {
  const { snapshot } = instance;
  return [...snapshot.problems, ...locateFindings(snapshot, [...instance.findings, ...findings])];
}

/** A mapping of integration to the flags that it understands. */
export function readCapabilities(io: Io, file: string): Capabilities {
  let value: unknown;
  try {
    [value] = loadYamlDocuments(readFileSync(resolve(io.cwd, file), 'utf8'));
  } catch (thrown) {
    throw badCapabilities(file, messageOf(thrown));
  }
  if (!isJson(value)) throw badCapabilities(file, 'not a mapping');
  return new Map(
    Object.entries(value).map(([name, flags]) => {
      if (!Array.isArray(flags) || !flags.every((flag) => typeof flag === 'string')) {
        throw badCapabilities(file, `${name} is not a list of flags`);
      }
      return [name, flags as string[]];
    }),
  );
}

function badCapabilities(file: string, why: string): EchelonError {
  return new EchelonError({
    code: 'CAPABILITIES_INVALID',
    message: `the capabilities file ${file} cannot be used: ${why}`,
    hint: "write a mapping such as my-integration: ['--account-name']",
  });
}

/** The chart of Echelon stands beside `src/` in a checkout and beside `dist/` when installed. */
const OWN_CHART = fileURLToPath(new URL('../../../../charts/reconciler', import.meta.url));

export async function openChart(io: Io, flags: ChartFlags): Promise<ChartRenderer> {
  const helm = await findHelm({
    ...defined({ flag: flags.helm }),
    env: io.env,
    cwd: io.cwd,
    cacheFolder: cacheFolder(io),
  });
  const chart = flags.chart === undefined ? OWN_CHART : resolve(io.cwd, flags.chart);
  return helmChart({ helm, chart, signal: io.signal });
}

/** What was rendered before, in this process and on this machine; nothing with `--no-cache`. */
export function openCache(io: Io, flags: ChartFlags): RenderCache | undefined {
  return flags.cache ? memoryCache(fileCache(join(cacheFolder(io), `render-${version()}`))) : undefined;
}

function cacheFolder({ env }: Io): string {
  if (env['ECHELON_CACHE']) return env['ECHELON_CACHE'];
  const home = env['HOME'] ?? homedir();
  const base = env['XDG_CACHE_HOME'] || (home === '' || home === '/' ? tmpdir() : join(home, '.cache'));
  return join(base, 'echelon');
}
