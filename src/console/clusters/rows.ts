import { byText, defined } from '../../base/index.ts';
import type { ClusterAction, ClusterExplanation, ClusterForecast, ForecastUpgrade } from '../../upgrades/index.ts';
import { oncePer } from '../once.ts';
import { inOrder } from '../past.ts';
import type { Columns } from '../query.ts';
import type { UpgradesData } from '../state.ts';
import { minuteText, withTimes } from '../times.ts';

/** One cluster in lists. */
export interface ClusterRow {
  readonly cluster: ClusterExplanation;
  /** The gate it waits for, or what prevents its evaluation. */
  readonly gate: string;
  /** The next forecast upgrade of the cluster itself. */
  readonly next?: ForecastUpgrade;
}

const forecastsById = oncePer(
  ({ clusters }: UpgradesData['forecast']) =>
    new Map(clusters.map((each) => [`${each.environment}/${each.id}`, each] as const)),
);

export function forecastOf(
  { forecast }: Pick<UpgradesData, 'forecast'>,
  { environment, id }: Pick<ClusterExplanation, 'environment' | 'id'>,
): ClusterForecast | undefined {
  return forecastsById(forecast).get(`${environment}/${id}`);
}

export const clusterRows = oncePer((data: UpgradesData): readonly ClusterRow[] =>
  data.clusters.map((cluster) => {
    const next = forecastOf(data, cluster)?.upgrades.find(({ nodePool }) => nodePool === undefined);
    return { cluster, gate: gateOf(cluster), ...defined({ next }) };
  }),
);

function gateOf({ gate, action, before }: ClusterExplanation): string {
  if (action === 'upgrade' || action === 'upgrade-node-pool') return '';
  return gate ?? before[0]?.gate ?? '';
}

/** The severity, for the icon beside the text. */
export type Tone = 'good' | 'wait' | 'bad' | 'idle';

const TONES: Readonly<Record<ClusterAction, Tone>> = {
  upgrade: 'good',
  'upgrade-node-pool': 'good',
  'switch-channel': 'good',
  cancel: 'bad',
  'agree-gates': 'wait',
  wait: 'wait',
  hold: 'bad',
  none: 'idle',
};

const WORDS: Readonly<Record<ClusterAction, string>> = {
  upgrade: 'upgrades',
  'upgrade-node-pool': 'upgrades a node pool',
  'switch-channel': 'switches channel',
  cancel: 'is cancelled',
  'agree-gates': 'waits',
  wait: 'waits',
  hold: 'is held',
  none: 'is up to date',
};

export function toneOf(action: ClusterAction): Tone {
  return TONES[action];
}

/** `waits for soak`, `upgrades`, `is held: policy`. */
export function verdictText({ cluster: { action }, gate }: Pick<ClusterRow, 'cluster' | 'gate'>): string {
  const words = WORDS[action];
  if (gate === '' || action === 'none') return words;
  return action === 'wait' || action === 'agree-gates' ? `${words} for ${gate}` : `${words}: ${gate}`;
}

/** `4.18.12: shared has soaked 2 of 7 days`. */
export function whyText({ to, reason, startsAt }: ClusterExplanation): string {
  const why = startsAt === undefined ? reason : `starts ${startsAt}; ${reason}`;
  return to === undefined ? why : `${to}: ${why}`;
}

function nextText({ next }: ClusterRow): string {
  return next === undefined ? '' : `${next.version} ${minuteText(next.startsAt)}`;
}

/** The permanent URL of a cluster, even if its name is reused. */
export function clusterPath({
  environment,
  orgId,
  uuid,
}: Readonly<Record<'environment' | 'orgId' | 'uuid', string>>): string {
  return `/clusters/${[environment, orgId, uuid].map(encodeURIComponent).join('/')}`;
}

export const CLUSTER_FILTERS = ['env', 'org', 'version', 'gate', 'action', 'sector', 'workload'] as const;

const byCluster = (a: ClusterRow, b: ClusterRow): number => byText(a.cluster.name, b.cluster.name);

export const CLUSTER_COLUMNS: Columns<ClusterRow> = {
  filters: {
    env: ({ cluster }) => [cluster.environment],
    org: ({ cluster }) => [cluster.organization, cluster.orgId],
    version: ({ cluster }) => [cluster.version],
    gate: ({ gate }) => [gate],
    action: ({ cluster }) => [cluster.action],
    sector: ({ cluster }) => [cluster.policy.sector ?? ''],
    workload: ({ cluster }) => cluster.policy.workloads ?? [],
  },
  text: oncePer((row) =>
    [
      row.cluster.name,
      `${row.cluster.environment}/${row.cluster.organization}`,
      row.cluster.version,
      verdictText(row),
      withTimes(whyText(row.cluster)),
      row.cluster.policy.sector ?? '',
      (row.cluster.policy.workloads ?? []).join(', '),
      nextText(row),
    ].join(' '),
  ),
  sorts: {
    cluster: byCluster,
    org: (a, b) => byText(a.cluster.organization, b.cluster.organization) || byCluster(a, b),
    version: (a, b) => inOrder(a.cluster.version, b.cluster.version) || byCluster(a, b),
    verdict: (a, b) => byText(verdictText(a), verdictText(b)) || byCluster(a, b),
    sector: (a, b) => byText(a.cluster.policy.sector ?? '~', b.cluster.policy.sector ?? '~') || byCluster(a, b),
    next: (a, b) => (a.next?.startsAt ?? Infinity) - (b.next?.startsAt ?? Infinity) || byCluster(a, b),
  },
};
