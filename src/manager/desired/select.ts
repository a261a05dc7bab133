import { byText } from '../../base/index.ts';
import type { Finding, Instance, Integration, Managed } from '../../instance/index.ts';
import { type Capabilities, expandShards, isConsequence } from '../../sharding/index.ts';
import { type ManagedShards, type NamespaceGroup, targetOf } from './group.ts';
import { checkObjects } from './object-names.ts';

/** What a manager operates of an instance; everything when nothing is said. */
export interface RenderScope {
  /** Only this environment; all of them when it is absent or empty. */
  readonly environment?: string;
  /** Only integrations of this upstream, to the letter; all when it is absent. */
  readonly upstream?: string;
}

export interface SelectOptions extends RenderScope {
  readonly capabilities?: Capabilities;
}

export interface Selection {
  readonly groups: readonly NamespaceGroup[];
  /** What is wrong; an entry with an error is in no group. */
  readonly findings: readonly Finding[];
}

/** What a manager with these options operates, by namespace, ordered by cluster and name. Pure. */
export function selectWorkloads(instance: Instance, options: SelectOptions = {}): Selection {
  const expanded = wanted(instance, options).map(({ integration, entry }) => ({
    managed: { integration, entry },
    ...expandShards(instance, integration, entry, options.capabilities),
  }));
  const usable = expanded
    .filter(({ findings }) => !findings.some(({ severity }) => severity === 'error'))
    .map(({ managed, shards }): ManagedShards => ({ ...managed, shards }));
  const groups = [...Map.groupBy(usable, ({ entry }) => targetOf(entry.namespace)).values()].flatMap(asGroup);
  const checked = groups.map(checkObjects);
  return {
    groups: checked
      .map(({ group }) => group)
      .filter(({ entries }) => entries.length > 0)
      .toSorted((a, b) => byText(targetOf(a.namespace), targetOf(b.namespace))),
    findings: [...expanded, ...checked].flatMap(({ findings }) => findings),
  };
}

/** What is wrong with the workloads of an instance, for a check of the whole. */
export function checkWorkloads(instance: Instance): Finding[] {
  return selectWorkloads(instance).findings.filter(({ rule }) => !isConsequence(rule));
}

function wanted(
  { integrations }: Instance,
  { environment, upstream }: SelectOptions,
): { integration: Integration; entry: Managed }[] {
  return integrations
    .filter((integration) => upstream === undefined || integration.upstream === upstream)
    .flatMap((integration) => integration.managed.map((entry) => ({ integration, entry })))
    .filter(({ entry }) => !environment || entry.namespace.environment.name === environment);
}

function asGroup(entries: readonly ManagedShards[]): NamespaceGroup[] {
  const [first] = entries;
  return first === undefined ? [] : [{ namespace: first.entry.namespace, entries }];
}
