import { benchPass, clientOf } from './cluster-parts.ts';

/** Passes of the loop over a converged fleet, every tenth a resync; prints the resident memory early and at the end. */
const [folder = '.', server = '', ca = '', token = '', passes = '1000'] = process.argv.slice(2);
const PASSES_PER_RESYNC = 10;
const client = clientOf({ server, ca: Buffer.from(ca, 'base64').toString(), token }, { onList: () => undefined });
const { pass, writes } = await benchPass(folder, client);
const rss: number[] = [];
for (let count = 0; count < Number(passes); count += 1) {
  const { code } = await pass(count % PASSES_PER_RESYNC === 0);
  if (code !== 0) throw new Error('a pass failed');
  rss.push(process.memoryUsage.rss());
}
client.close();
const tenth = Math.ceil(rss.length / 10);
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
console.log(
  JSON.stringify({
    passes: rss.length,
    writes: writes(),
    early: mean(rss.slice(tenth, 2 * tenth)),
    late: mean(rss.slice(-tenth)),
    peak: Math.max(...rss),
  }),
);
