import {
  byText,
  type Column,
  defined,
  didYouMean,
  EchelonError,
  type ListedRows,
  listedRows,
} from '../../base/index.ts';
import { type Instant, secondText } from '../../gates/index.ts';
import type { PlannedOrganization } from '../scheduler/plan-organization.ts';

/** Something that happened to a cluster. */
export interface HistoryEvent {
  readonly at: Instant;
  /** `first-seen`: it had the version before. */
  readonly event: 'first-seen' | 'version-changed' | 'upgrade-scheduled';
  readonly environment: string;
  readonly organization: string;
  readonly cluster: string;
  readonly uuid: string;
  readonly version: string;
  readonly from?: string;
  readonly nodePool?: string;
  readonly startsAt?: Instant;
}

export const HISTORY_COLUMNS: readonly Column<HistoryEvent>[] = [
  { title: 'TIME', cell: ({ at }) => secondText(at) },
  { title: 'CLUSTER', cell: ({ cluster }) => cluster },
  { title: 'ORGANIZATION', cell: ({ environment, organization }) => `${environment}/${organization}` },
  { title: 'EVENT', cell: ({ event }) => event },
  { title: 'FROM', cell: ({ from }) => from ?? '' },
  { title: 'VERSION', cell: ({ version }) => version },
  { title: 'NODE POOL', cell: ({ nodePool }) => nodePool ?? '' },
  { title: 'STARTS', cell: ({ startsAt }) => (startsAt === undefined ? '' : secondText(startsAt)) },
  { title: 'UUID', cell: ({ uuid }) => uuid, wide: true },
];

/** What the state of an organization keeps of its clusters, those that are gone included; in no order. */
export function historyEvents({
  environment,
  name,
  stored,
}: Pick<PlannedOrganization, 'environment' | 'name' | 'stored'>): HistoryEvent[] {
  const { clusters, scheduled } = stored.state.past;
  const where = { environment, organization: name };
  return [
    ...[...clusters].flatMap(([uuid, { name: cluster, versions }]) =>
      versions.map(({ version, since }, index): HistoryEvent => {
        const from = versions[index - 1]?.version;
        const event = from === undefined ? 'first-seen' : 'version-changed';
        return { ...where, at: since, event, cluster, uuid, version, ...defined({ from }) };
      }),
    ),
    ...scheduled.map(
      ({ uuid, name: cluster, version, nodePool, at, startsAt }): HistoryEvent => ({
        ...{ ...where, at, event: 'upgrade-scheduled', cluster, uuid, version, startsAt },
        ...defined({ nodePool }),
      }),
    ),
  ];
}

export function newestFirst(events: readonly HistoryEvent[]): HistoryEvent[] {
  return events.toSorted((a, b) => b.at - a.at || step(b) - step(a) || byText(a.cluster, b.cluster));
}

/** A pass observes before it schedules. */
function step({ event }: HistoryEvent): number {
  return Number(event === 'upgrade-scheduled');
}

/** The event in documents. */
export function historyItem({ at, startsAt, ...event }: HistoryEvent): object {
  return {
    at: secondText(at),
    ...event,
    ...defined({ startsAt: startsAt === undefined ? undefined : secondText(startsAt) }),
  };
}

/** Events that a report shows; `upgrades history` has all. */
const MOST_SHOWN = 20;

/** The newest events of a sorted list, with the title above them. */
export function shownHistory(history: readonly HistoryEvent[]): {
  readonly title: string;
  readonly shown: readonly HistoryEvent[];
} {
  const shown = history.slice(0, MOST_SHOWN);
  const rest =
    history.length === shown.length ? '' : ` (${shown.length} of ${history.length}; all: echelon upgrades history)`;
  return { title: `History, newest first${rest}:`, shown };
}

/** What happened to clusters, newest first; of one cluster by its name or UUID. Throws CLUSTER_UNKNOWN. */
export function historyListing(all: readonly HistoryEvent[], reference?: string): ListedRows {
  const rows = reference === undefined ? all : all.filter(({ cluster, uuid }) => [cluster, uuid].includes(reference));
  if (reference !== undefined && rows.length === 0) throw unknownCluster(reference, all);
  return listedRows({
    ...{ kind: 'UpgradeEvent', noun: 'event', columns: HISTORY_COLUMNS, item: historyItem },
    rows: newestFirst(rows),
    name: ({ at, cluster, event }) => `${cluster}/${secondText(at)}/${event}`,
  });
}

function unknownCluster(reference: string, all: readonly HistoryEvent[]): EchelonError {
  return new EchelonError({
    code: 'CLUSTER_UNKNOWN',
    message: `no history of a cluster ${reference}`,
    hint: didYouMean(
      reference,
      [...new Set(all.map(({ cluster }) => cluster))],
      'list all with: echelon upgrades history',
    ),
  });
}
