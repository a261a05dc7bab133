import { type Column, defined, didYouMean, EchelonError, listedRows } from '../../base/index.ts';
import { instantText, openingText } from '../../gates/index.ts';
import type { RolloutsDecision } from '../decide/decide-rollouts.ts';
import { findingText } from '../decide/query-findings.ts';
import { explainShards, type ShardExplanation } from '../forecast/explain.ts';
import type { ShadowRecord } from '../record/shadow-record.ts';
import { isShardNamed, type RolloutView, shardName, versionText } from './rollout-view.ts';

interface GateRow {
  readonly shard: ShardExplanation;
  readonly row: ShardExplanation['rows'][number];
}

const COLUMNS: readonly Column<GateRow>[] = [
  { title: 'SHARD', cell: ({ shard }) => shard.id },
  { title: 'ENVIRONMENT', cell: ({ shard }) => shard.environment },
  { title: 'IMAGE', cell: ({ shard }) => versionText(shard.image) },
  { title: 'GATE', cell: ({ row }) => row.gate },
  { title: 'STATE', cell: ({ row }) => (row.ok ? 'open' : 'closed') },
  { title: 'OPENS', cell: ({ row }) => (row.opening === undefined ? '' : openingText(row.opening)) },
  { title: 'TRACK', cell: ({ shard }) => shard.track ?? '', wide: true },
  { title: 'WAVE', cell: ({ shard }) => shard.wave ?? '', wide: true },
  { title: 'REASON', cell: ({ row }) => row.reason },
];

/** Every gate of a shard, by its id or its name; throws SHARD_UNKNOWN. */
export function explainView(decision: RolloutsDecision, wanted: string): RolloutView {
  const found = explainShards(decision).filter(({ id }) => isShardNamed(id, wanted));
  if (found.length === 0) requireShard(decision, wanted);
  const rows = found.flatMap((shard) => shard.rows.map((row) => ({ shard, row })));
  return {
    rows: listedRows({
      ...{ kind: 'RolloutGate', noun: 'gate', rows, columns: COLUMNS },
      name: ({ shard, row }) => `${shard.environment}/${shard.id}/${row.gate}`,
      item: ({ shard: { rows: _, opening, shadow, ...shard }, row }) => ({
        ...{ ...shard, ...row },
        ...(row.gate === 'shadow' && shadow !== undefined ? { shadow: shadowItem(shadow) } : {}),
      }),
    }),
    notes:
      found.length === 0
        ? [`${wanted} runs what is declared for it`, ...unsoakedLines(decision, wanted)]
        : [...found.map(summary), ...found.flatMap(differenceLines)],
    isWrong: false,
  };
}

/** Why a shard that runs its target does not soak it. */
function unsoakedLines({ tracks }: RolloutsDecision, wanted: string): string[] {
  const isWanted = ({ shard }: { readonly shard: string }): boolean => isShardNamed(shard, wanted);
  const stopped = tracks.flatMap((track) => track.stopped.filter(isWanted));
  const found = tracks.flatMap(({ queries }) => queries.filter(isWanted));
  return [
    ...stopped.map(({ shard, stop }) => `${shard} does not soak: it is stopped (${stop})`),
    ...found.map((finding) => `${finding.shard} does not soak: ${findingText(finding)}`),
  ];
}

function summary({ id, image, opening }: ShardExplanation): string {
  const version = versionText(image);
  return opening === undefined
    ? `${id} can move to ${version} in the next pass of its manager`
    : `${id} can move to ${version} at the earliest: ${openingText(opening)}`;
}

function shadowItem({ at, triedAt, ...shadow }: ShadowRecord): object {
  const tried = triedAt === undefined ? undefined : instantText(triedAt);
  return { ...shadow, at: instantText(at), ...defined({ triedAt: tried }) };
}

/** The actions that hold the shard, and how a user lets them through. */
function differenceLines({ track, rows, shadow }: ShardExplanation): string[] {
  const closed = rows.find(({ gate, ok }) => gate === 'shadow' && !ok);
  if (closed?.waitsOn === undefined || shadow?.text === undefined) return [];
  const [from, to] = [versionText(shadow.baseline), versionText(shadow.image)];
  return [
    `with ${to} it would do (+), and not do (-), in comparison with ${from}:`,
    ...shadow.text.split('\n').map((line) => `  ${line}`),
    `to accept it: echelon rollout accept-shadow ${track ?? 'TRACK'} --digest ${closed.waitsOn} --reason REASON`,
  ];
}

function requireShard({ tracks }: RolloutsDecision, wanted: string): void {
  const ids = tracks.flatMap(({ waves }) => waves.flatMap(({ shards }) => shards));
  if (ids.some((id) => isShardNamed(id, wanted))) return;
  throw new EchelonError({
    code: 'SHARD_UNKNOWN',
    message: `no shard ${wanted} in a track`,
    hint: didYouMean(wanted, [...ids, ...ids.map(shardName)], 'list them with: echelon rollout status -o wide'),
  });
}
