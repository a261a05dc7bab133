import { atOnce, byText, defined, type Steps } from '../../base/index.ts';
import type { Finding, Instance, Integration, Managed } from '../../instance/index.ts';
import { type Capabilities, expandShards, isConsequence, undividedShards } from '../../sharding/index.ts';
import { type ManagedShards, type NamespaceGroup, targetOf } from './group.ts';
import { checkObjects } from './object-names.ts';

/** The part of an instance that a manager operates; everything by default. */
export interface RenderScope {
  /** Only this environment; all when absent or empty. */
  readonly environment?: string;
  /** Only integrations with exactly this upstream; all when absent. */
  readonly upstream?: string;
}

export interface SelectOptions extends RenderScope {
  readonly capabilities?: Capabilities;
  /** The chart in use is not the built-in one, whose names for objects are known before anything is rendered. */
  readonly otherChart?: boolean;
}

interface Selection {
  readonly groups: readonly NamespaceGroup[];
  /** Problems; an entry with an error is in no group. */
  readonly findings: readonly Finding[];
}

/** What a manager with these options operates, by namespace, ordered by cluster and name. Pure. */
export function selectWorkloads(instance: Instance, options: SelectOptions = {}): Selection {
  return atOnce(workloadSteps(instance, options));
}

/** The same, entry by entry. */
export function* workloadSteps(instance: Instance, options: SelectOptions): Steps<Selection> {
  const expanded: (ReturnType<typeof expandShards> & { managed: Omit<ManagedShards, 'shards'> })[] = [];
  for (const { integration, entry } of wanted(instance, options)) {
    const shards = expandShards(instance, integration, entry, options.capabilities);
    expanded.push({ managed: { integration, entry }, ...shards });
    yield;
  }
  const usable = expanded
    .filter(({ findings }) => !findings.some(({ severity }) => severity === 'error'))
    .map(({ managed, shards }): ManagedShards => {
      const { name, capabilities = options.capabilities?.get(name) } = managed.integration;
      return { ...managed, shards, ...defined({ capabilities }) };
    });
  const groups = [...Map.groupBy(usable, ({ entry }) => targetOf(entry.namespace)).values()].flatMap(asGroup);
  const checked: ReturnType<typeof checkObjects>[] = [];
  for (const group of groups) {
    checked.push(checkObjects(group, options.otherChart === true));
    yield;
  }
  return {
    groups: checked
      .map(({ group }) => group)
      .filter(({ entries }) => entries.length > 0)
      .toSorted((a, b) => byText(targetOf(a.namespace), targetOf(b.namespace))),
    findings: [...expanded, ...checked].flatMap(({ findings }) => findings),
  };
}

/** Finds the problems of an instance's workloads, for validation. */
export function workloadCheck(
  options: Pick<SelectOptions, 'capabilities' | 'otherChart'> = {},
): (instance: Instance) => Finding[] {
  return (instance) => [
    ...selectWorkloads(instance, options).findings.filter(({ rule }) => !isConsequence(rule)),
    ...undividedShards(instance, options.capabilities),
  ];
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
