import { type Pen, paintedDiff, textTable } from '../../base/index.ts';
import type { ShadowReport } from '../service/report.ts';
import { shadowListing } from './shadow-listing.ts';
import { shardDetails } from './shard-details.ts';
import { shadowProof, shadowSummary } from './summary.ts';

/** A table of shards, what differs as a diff, and what the result proves. */
export function shadowText(report: ShadowReport, { paint, line, width }: Pen, wide: boolean): string {
  const { titles, rows } = shadowListing(report).cells(wide ? 'wide' : 'usual');
  const shards = report.shards.flatMap((shard) => {
    const details = shardDetails(shard, wide ? Number.POSITIVE_INFINITY : undefined);
    if (details === undefined) return [];
    const { title, remarks, diff, noise, logs } = details;
    const flaky = noise.map((text) => `differs between runs of the baseline: ${text}`);
    const texts = [...remarks, ...diff.map((text) => paintedDiff(text, paint)), ...flaky, `logs: ${logs.join(' ')}`];
    return [`\n${line(paint('bold', title))}${texts.map((text) => line(`  ${text}`)).join('')}`];
  });
  const end = `\n${line(paint('bold', `${shadowSummary(report)}.`))}${shadowProof(report).map(line).join('')}`;
  return `${textTable(titles, rows, paint, { width })}${shards.join('')}${end}`;
}
