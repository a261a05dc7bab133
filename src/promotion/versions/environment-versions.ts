import { defined } from '../../base/index.ts';
import {
  type Instance,
  type Integration,
  MANAGER_RESOURCE,
  type Managed,
  managerFileOf,
  problemsIn,
  upstreamImage,
  upstreamOf,
} from '../../instance/index.ts';
import { declaredImage } from '../pins/current-image.ts';

/** The version that an environment declares for the integrations of an upstream. */
export interface EnvironmentVersion {
  /** Empty for integrations that have none. */
  readonly upstream: string;
  readonly environment: string;
  /** Absent where only a branch is declared, or nothing. */
  readonly version?: string;
  /** How many integrations. */
  readonly integrations: number;
  /** The file that has the version, `/x.yml` below `data/` or else from the root, and its line where only one has it. */
  readonly file?: string;
  readonly line?: number;
}

/** `data/x.yml` of `/x.yml`; what is not below `data/` stays as it is. */
export function pathInRepository(file: string): string {
  return file.startsWith('/') ? `data${file}` : file;
}

/** Every version that environments declare, by upstream and environment. Pure. */
export function environmentVersions(
  instance: Instance,
  isOperated: (entry: Managed) => boolean = () => true,
): EnvironmentVersion[] {
  const versionOf = versionReader(instance);
  const declared = managerFileOf(instance.snapshot);
  const found = instance.integrations.flatMap((integration) =>
    integration.managed.filter(isOperated).map((entry) => {
      const version = versionOf(integration, entry);
      const environment = entry.namespace.environment.name;
      return { upstream: upstreamOf(declared, integration), environment, version, integration, entry };
    }),
  );
  const groups = Map.groupBy(found, ({ upstream, environment, version }) =>
    JSON.stringify([upstream, environment, version]),
  );
  return [...groups.values()].map((own) => {
    const [{ upstream, environment, version, integration, entry }] = own as [(typeof found)[number]];
    const integrations = new Set(own.map(({ integration: { name } }) => name)).size;
    const place =
      version === undefined ? {} : placeOf(instance, version, { upstream, environment, integration, entry });
    return { upstream, environment, integrations, ...defined({ version }), ...place };
  });
}

/** What decides is the same for most entries, and found once. */
function versionReader(instance: Instance): (integration: Integration, entry: Managed) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (integration, entry) => {
    const key = JSON.stringify([integration.upstream, entry.namespace.environment.name, entry.spec.imageRef]);
    if (!known.has(key)) known.set(key, declaredImage(instance, integration, entry));
    return known.get(key);
  };
}

interface Declared {
  readonly upstream: string;
  readonly environment: string;
  readonly integration: Integration;
  readonly entry: Managed;
}

function placeOf(instance: Instance, version: string, of: Declared): Pick<EnvironmentVersion, 'file' | 'line'> {
  const declared = inManagerFile(instance, of);
  if (declared !== undefined) return declared;
  for (const file of filesOf(instance, of)) {
    const text = instance.snapshot.text(file);
    const lines = text === undefined ? [] : linesWith(text, version);
    const [line] = lines;
    if (line !== undefined) return { file, ...(lines.length === 1 ? { line } : {}) };
  }
  return {};
}

/** The line of manager.yml, where that says the tag or the ref. */
function inManagerFile(
  { snapshot }: Instance,
  { integration, entry }: Declared,
): Pick<EnvironmentVersion, 'file' | 'line'> | undefined {
  const file = managerFileOf(snapshot);
  const image = entry.spec.imageRef === undefined ? upstreamImage(file, integration.upstream) : undefined;
  const key = image?.tag === undefined ? 'tagRef' : 'tag';
  if (file === undefined || image?.[key] === undefined) return undefined;
  const keys = ['upstreams', file.upstreams.indexOf(image), key];
  const place = { rule: '', severity: 'warning', keys, message: '', hint: '' } as const;
  const [found] = problemsIn(`resources${MANAGER_RESOURCE}`, snapshot.echelonFiles.get(MANAGER_RESOURCE) ?? '', [
    place,
  ]);
  return found && { file: found.file, ...defined({ line: found.line }) };
}

/** Where the version may come from, in the order of precedence. */
function filesOf(instance: Instance, { upstream, environment, integration, entry }: Declared): string[] {
  if (entry.spec.imageRef !== undefined) return [integration.file];
  const environments = instance.environments.filter(({ name }) => name === environment);
  const deploying = instance.saasFiles.filter(({ parameters, templates }) =>
    templates.some((template) =>
      template.targets.some((target) => {
        const all = { ...parameters, ...template.parameters, ...target.parameters };
        return all['ENVIRONMENT_NAME'] === environment && all['INTEGRATIONS_MANAGER_UPSTREAM'] === upstream;
      }),
    ),
  );
  return [...environments, ...deploying].map(({ file }) => file);
}

/** One-based numbers of the lines that have the tag, or the commit that it abbreviates. */
function linesWith(text: string, version: string): number[] {
  const [tag = ''] = version.split('@');
  return text.split('\n').flatMap((line, index) => (hasWord(line, tag) ? [index + 1] : []));
}

function hasWord(line: string, tag: string): boolean {
  const content = line.replace(/(?:^|\s)#.*$/, '');
  for (let at = content.indexOf(tag); at !== -1; at = content.indexOf(tag, at + 1))
    if (at === 0 || !/[\w.-]/.test(content[at - 1] ?? '')) return true;
  return false;
}
