import {
  type JunitCase,
  type JunitSuite,
  junitXml,
  markdownCode,
  markdownPlain,
  markdownRow,
} from '../../base/index.ts';
import type { ShadowReport, ShardShadow } from '../service/report.ts';
import { shadowListing } from './shadow-listing.ts';
import { type ShardDetails, shardDetails } from './shard-details.ts';
import { shadowProof, shadowSummary } from './summary.ts';

/** A comment of a forge has 60,000 characters for everything. */
const MOST_MARKDOWN = 50_000;
const MARKDOWN_LINES = 30;

/** The report for a merge request: content of logs is escaped. */
export function shadowMarkdown(report: ShadowReport, most: number = MOST_MARKDOWN): string {
  const { titles, rows } = shadowListing(report).cells('usual');
  const head = `**Shadow of ${markdownPlain(report.integration)}**: ${shadowSummary(report)}\n\n`;
  const table = [titles, titles.map(() => '---'), ...rows.map((row) => row.map(markdownPlain))].map(markdownRow);
  const blocks = report.shards.flatMap((shard) => {
    const details = shardDetails(shard, MARKDOWN_LINES);
    return details === undefined ? [] : [detailBlock(details)];
  });
  const proof = `${shadowProof(report).join(' ')}\n`;
  return fitted([head, ...table, '\n', ...blocks], proof, most);
}

function detailBlock({ title, remarks, diff, noise }: ShardDetails): string {
  const list = remarks.map((text) => `- ${markdownPlain(text)}\n`).join('');
  const shown = diff.length === 0 ? '' : markdownCode(diff.join('\n'));
  const flaky = noise.length === 0 ? '' : `differs between runs of the baseline:\n${markdownCode(noise.join('\n'))}`;
  return `<details><summary>${markdownPlain(title)}</summary>\n\n${list}\n${shown}${flaky}\n</details>\n\n`;
}

/** As many blocks as fit, and how many did not. */
function fitted(blocks: readonly string[], end: string, most: number): string {
  let text = '';
  let left = 0;
  for (const block of blocks) {
    if (text.length + block.length + end.length + 100 > most) left += 1;
    else text += block;
  }
  return `${text}${left === 0 ? '' : `\n… and ${left} more.\n\n`}${end}`;
}

/** A JUnit report: a shard that differs is a failure, one that could not be compared an error-like failure of its own type. */
export function shadowJunit(report: ShadowReport): string {
  return junitXml('echelon shadow', [shadowSuite(report)]);
}

export function shadowSuite({ integration, shards }: ShadowReport): JunitSuite {
  return { name: `shadow of ${integration}`, cases: shards.map(shardCase) };
}

function shardCase(shard: ShardShadow): JunitCase {
  const { result, reasons } = shard.comparison;
  const details = shardDetails(shard);
  const text = [...(details?.remarks ?? []), ...(details?.diff ?? []), ...(details?.noise ?? [])].join('\n');
  const seconds = Math.max(shard.runs.baseline.seconds, shard.runs.candidate.seconds);
  const { cluster, namespace, name } = shard.shard;
  const named = { name: `${name} in ${cluster}/${namespace}`, className: 'shadow', seconds };
  if (result === 'same' || result === 'noise') return { ...named, ...(text === '' ? {} : { output: text }) };
  return { ...named, failure: { message: `${result}: ${reasons[0] ?? 'the images would not do the same'}`, text } };
}
