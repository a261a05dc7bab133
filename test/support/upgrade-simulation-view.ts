import type { WorldCall } from '../../src/sim/index.ts';
import type { Listed } from '../../src/upgrades/index.ts';
import { PREFIX } from '../../src/upgrades/policies/label-keys.ts';
import type { ClusterRow, LabelRow, SubscriptionRow } from '../../src/upgrades/scheduler/ports.ts';
import type { AusLabels, Who } from './upgrade-simulation-scenario.ts';

/** A cluster as a scheduler observed it. */
export interface ToldCluster {
  readonly row: ClusterRow;
  readonly orgId: string;
  readonly labels: AusLabels;
}

/** What a scheduler observed in one pass, true or not. It can only act on this. */
export class View {
  readonly who: Who;
  readonly name: string;
  /** True time at which the pass began, in milliseconds. */
  readonly startedAt: number;
  /** What its own clock said when it asked for the clusters, in milliseconds. */
  seenAt = Number.NaN;
  /** True time at which labels were read. */
  labelsAt = Number.NaN;
  #labels: readonly LabelRow[] = [];
  #owners: Map<string, Record<string, string>> | undefined;
  readonly #organizations = new Map<string, string>();
  #rows: readonly ClusterRow[] = [];
  #clusters: readonly ToldCluster[] | undefined;

  constructor(who: Who, name: string, startedAt: number) {
    this.who = who;
    this.name = name;
    this.startedAt = startedAt;
  }

  tell({ name }: WorldCall, answer: unknown, at: number): void {
    if (name === 'listLabels') {
      this.labelsAt = at;
      this.#labels = (answer as Listed<LabelRow>).items;
    }
    if (name === 'listSubscriptions')
      for (const { id, organizationId } of (answer as Listed<SubscriptionRow>).items)
        this.#organizations.set(id, organizationId);
    if (name === 'listClusters') this.#rows = (answer as Listed<ClusterRow>).items;
  }

  /** By subscription and by organization. */
  get #byOwner(): ReadonlyMap<string, AusLabels> {
    if (this.#owners !== undefined) return this.#owners;
    const owners = new Map<string, Record<string, string>>();
    for (const { key, value, subscriptionId, organizationId } of this.#labels) {
      const owner = subscriptionId ?? organizationId ?? '';
      const labels = owners.get(owner) ?? {};
      owners.set(owner, labels);
      labels[key.slice(PREFIX.length)] = value;
    }
    this.#owners = owners;
    return owners;
  }

  get #told(): readonly ToldCluster[] {
    this.#clusters ??= this.#rows.flatMap((row) => {
      const orgId = this.#organizations.get(row.subscriptionId ?? '');
      const labels = this.#byOwner.get(row.subscriptionId ?? '');
      return orgId === undefined || labels === undefined ? [] : [{ row, orgId, labels }];
    });
    return this.#clusters;
  }

  labelsOf(orgId: string): AusLabels {
    return this.#byOwner.get(orgId) ?? {};
  }

  clustersOf(orgId: string): readonly ToldCluster[] {
    return this.#told.filter((cluster) => cluster.orgId === orgId);
  }

  cluster(id: string): ToldCluster | undefined {
    return this.#told.find(({ row }) => row.id === id);
  }
}

/** Members between commas; blanks are none. */
export function membersIn(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '');
}

/** Undefined when it names none: then it is unknown. */
export function workloadsOf({ labels }: ToldCluster): readonly string[] | undefined {
  const workloads = membersIn(labels['workloads']);
  return workloads.length === 0 ? undefined : workloads;
}

export function sectorOf({ labels }: ToldCluster): string | undefined {
  return labels['sector']?.trim() || undefined;
}

/** Its own name is one: it is upgraded once at a time. */
export function mutexesOf({ labels, row }: ToldCluster): Set<string> {
  return new Set([...membersIn(labels['mutexes']), `cluster ${row.id}`]);
}

/** Organizations that publish their history to this one, and that it asks for. */
export function sourcesOf(view: View, orgId: string): string[] {
  return membersIn(view.labelsOf(orgId)['version-data.inherit']).filter((source) =>
    membersIn(view.labelsOf(source)['version-data.publish']).includes(orgId),
  );
}
