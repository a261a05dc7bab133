import { defined, didYouMean, EchelonError, requireNames, type Steps, serverAddress } from '../../base/index.ts';
import {
  type ClusterAccess,
  environmentNames,
  foreignImages,
  type Instance,
  type Integration,
  managerFileOf,
  type Problem,
  problemSteps,
} from '../../instance/index.ts';
import type { NamespaceGroup } from '../desired/group.ts';
import { hasGivenImage } from '../desired/image-parameters.ts';
import { type RenderScope, workloadSteps } from '../desired/select.ts';
import { type ManagerSettings, withManagerFile } from './settings.ts';

/** The part of an instance that a manager operates. */
export interface OperatedFleet {
  readonly instance: Instance;
  readonly groups: readonly NamespaceGroup[];
  readonly scope: RenderScope;
  /** Those given, with what manager.yml adds. */
  readonly settings: ManagerSettings;
  /** All problems, including those in files that concern no workload. */
  readonly problems: readonly Problem[];
}

/** Selects what a manager with these settings operates. Pure. */
export function* operatedFleet(instance: Instance, given: ManagerSettings): Steps<OperatedFleet> {
  const file = managerFileOf(instance.snapshot);
  const settings = withManagerFile(given, file, instance);
  const { scope, capabilities, otherChart, namespaces } = settings;
  // A mistyped environment has no workloads, so everything rendered before would be deleted.
  if (scope.environment !== undefined) requireNames('environment', [scope.environment], environmentNames(instance));
  requireNames(
    'integration',
    settings.integrations,
    instance.integrations.map(({ name }) => name),
  );
  const { groups, findings } = yield* workloadSteps(instance, {
    ...scope,
    ...defined({ capabilities, otherChart }),
  });
  const inScope = clusterScope(instance, settings);
  const isWanted = ({ namespace }: NamespaceGroup): boolean =>
    inScope(namespace.cluster.name) && isIn(namespaces, namespace.name);
  const wanted = groups.filter(isWanted);
  const images = hasGivenImage(settings.images) ? [] : foreignImages(file, integrationsIn(wanted));
  const problems = yield* problemSteps(instance.snapshot, [...instance.findings, ...findings, ...images]);
  return {
    instance,
    groups: wanted,
    scope,
    settings,
    problems: [...instance.snapshot.problems, ...problems],
  };
}

function integrationsIn(groups: readonly NamespaceGroup[]): Integration[] {
  return [...new Set(groups.flatMap(({ entries }) => entries.map(({ integration }) => integration)))];
}

/** Which clusters the settings restrict a manager to. A cluster of a namespace file alone is not internal. */
export function clusterScope(
  instance: Instance,
  { clusters, internal }: Pick<ManagerSettings, 'clusters' | 'internal'>,
): (cluster: string) => boolean {
  const inside = new Set(instance.clusters.filter((one) => one.internal === true).map(({ name }) => name));
  const names =
    internal === undefined
      ? clusters
      : allAccess(instance)
          .map(({ name }) => name)
          .filter((name) => inside.has(name) === internal);
  const places = names === undefined ? undefined : new Set(withOtherNames(instance, names));
  return (cluster) => places === undefined || places.has(cluster);
}

function isIn(names: readonly string[] | undefined, name: string): boolean {
  return names === undefined || names.includes(name);
}

/** The clusters with all other names of their API servers: what is declared under those names runs there too. */
function withOtherNames(instance: Instance, names: readonly string[]): string[] {
  const all = allAccess(instance);
  const named = new Set(names);
  const servers = new Set(all.filter(({ name }) => named.has(name)).map(({ serverUrl }) => serverAddress(serverUrl)));
  servers.delete(undefined);
  return [...names, ...all.filter(({ serverUrl }) => servers.has(serverAddress(serverUrl))).map(({ name }) => name)];
}

function allAccess({ clusters, namespaces }: Instance): ClusterAccess[] {
  return [...clusters, ...namespaces.map(({ cluster }) => cluster)];
}

export function errorsIn({ problems }: Pick<OperatedFleet, 'problems'>): Problem[] {
  return problems.filter(({ severity }) => severity === 'error');
}

/** Identifies this data repository among others that operate the same cluster. */
export function instanceId({ instance }: Pick<OperatedFleet, 'instance'>): string | undefined {
  return instance.settings?.repoUrl ?? instance.settings?.name;
}

/** The clusters of the groups, and those passed explicitly even if nothing is declared there any more. */
export function accessOf(
  { groups, instance }: Pick<OperatedFleet, 'groups' | 'instance'>,
  named: readonly string[] = [],
): ClusterAccess[] {
  const known = new Map(allAccess(instance).map((one) => [one.name, one]));
  for (const name of named) {
    if (known.has(name)) continue;
    throw new EchelonError({
      code: 'CLUSTER_UNKNOWN',
      message: `no cluster ${name} in this instance`,
      hint: didYouMean(name, known.keys(), 'list them with: echelon get clusters'),
    });
  }
  const names = new Set([...groups.map(({ namespace }) => namespace.cluster.name), ...named]);
  return [...names].flatMap((name) => known.get(name) ?? []);
}
