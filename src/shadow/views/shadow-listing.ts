import { imageVersion, type ListedRows, type Listing, listedRows, shortDigests } from '../../base/index.ts';
import type { ShadowReport, ShardShadow } from '../service/report.ts';

/** The shards of a report with the result of each. */
export function shadowListing({ shards }: ShadowReport): ListedRows {
  return listedRows({ ...LISTING, rows: shards });
}

const LISTING: Omit<Listing<ShardShadow>, 'rows'> = {
  kind: 'Shadow',
  noun: 'shard',
  name: ({ shard }) => shard.object,
  columns: [
    { title: 'RESULT', cell: ({ comparison }) => comparison.result },
    { title: 'SHARD', cell: ({ shard }) => shard.name },
    { title: 'ENVIRONMENT', cell: ({ shard }) => shard.environment },
    { title: 'CLUSTER/NAMESPACE', cell: ({ shard }) => `${shard.cluster}/${shard.namespace}`, wide: true },
    { title: 'BASELINE', cell: ({ runs }) => versionOf(runs.baseline.image) },
    { title: 'CANDIDATE', cell: ({ runs }) => versionOf(runs.candidate.image) },
    { title: 'SAME', cell: ({ comparison }) => String(comparison.actions.common) },
    { title: 'DIFFERENT', cell: differentCell },
    { title: 'NOISE', cell: ({ comparison }) => String(comparison.actions.noise.length) },
    { title: 'EXIT', cell: exitCell, wide: true },
    { title: 'SECONDS', cell: secondsCell, wide: true },
    {
      title: 'LOGS',
      cell: ({ runs }) => [runs.baseline.log, runs.candidate.log].filter(Boolean).join(' '),
      wide: true,
    },
  ],
  item: (shard) => shard,
};

function versionOf(image: string): string {
  return shortDigests(imageVersion(image) || image);
}

/** `+1 -2`: actions of the candidate only, and of the baseline only. */
function differentCell({ comparison: { actions } }: ShardShadow): string {
  const [more, less] = [actions.onlyInCandidate, actions.onlyInBaseline].map((lines) =>
    lines.reduce((sum, { count }) => sum + count, 0),
  );
  return more === 0 && less === 0 ? '0' : `+${more} -${less}`;
}

function exitCell({ comparison: { exitCodes } }: ShardShadow): string {
  return [exitCodes.baseline, exitCodes.candidate].map((code) => code ?? '?').join(' / ');
}

function secondsCell({ runs }: ShardShadow): string {
  return [runs.baseline, runs.candidate].map(({ seconds }) => seconds.toFixed(1)).join(' / ');
}
