import { textTable } from '../../../base/index.ts';
import { type ShadowReport, shadowListing, shadowProof, shadowSummary, shardDetails } from '../../../shadow/index.ts';
import type { Io } from '../../io.ts';
import type { Paint } from '../../output/colour.ts';
import { paintedDiff } from '../../output/diff.ts';
import { fitting } from '../../output/fitting.ts';
import { line } from '../../output/terminal.ts';

/** A table of shards, what differs as a diff, and what the result proves. */
export function printShadow(io: Io, report: ShadowReport, paint: Paint, wide: boolean): void {
  const { titles, rows } = shadowListing(report).cells(wide ? 'wide' : 'usual');
  io.stdout.write(textTable(titles, rows, paint, fitting(io, wide ? 'wide' : 'table')));
  for (const shard of report.shards) {
    const details = shardDetails(shard, wide ? Number.POSITIVE_INFINITY : undefined);
    if (details === undefined) continue;
    const { title, remarks, diff, noise, logs } = details;
    const flaky = noise.map((text) => `differs between runs of the baseline: ${text}`);
    const texts = [...remarks, ...diff.map((text) => paintedDiff(text, paint)), ...flaky, `logs: ${logs.join(' ')}`];
    io.stdout.write(`\n${line(paint('bold', title))}${texts.map((text) => line(`  ${text}`)).join('')}`);
  }
  io.stdout.write(`\n${line(paint('bold', `${shadowSummary(report)}.`))}${shadowProof(report).map(line).join('')}`);
}
