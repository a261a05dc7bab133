import { runScript } from '../measure.ts';
import { script } from '../part.ts';
import { type Row, timeText } from '../row.ts';

const SHARDS = 1_000;
const CLUSTERS = 50;
const KIB = 1024;

/** What a pass reads of clusters that have not changed, beside one that lists them. */
export function benchWatches(): Row[] {
  const sample = runScript(script('unchanged-pass.ts'), [String(SHARDS), String(CLUSTERS)]);
  const of = (name: string): number => sample[name] ?? Number.NaN;
  const what = `a pass over ${CLUSTERS} unchanged clusters, ${SHARDS} shards`;
  const how = 'The same pass without watches, in turns, on simulated API servers in another process.';
  const bytes = (name: string): string => `${Math.round(of(name) / KIB)} KiB`;
  return [
    {
      ...{ what: `${what}: bytes read`, echelon: bytes('bytes'), ratio: of('bytesRatio'), limit: { atMost: 0.05 } },
      peer: { name: 'full lists', measured: bytes('fullBytes'), how },
    },
    {
      ...{ what: `${what}: time`, echelon: timeText(of('milliseconds')), ratio: of('ratio'), limit: { atMost: 1 } },
      peer: { name: 'full lists', measured: timeText(of('full')) },
    },
    {
      ...{ what: `${what}: processor time`, echelon: timeText(of('cpu')), ratio: of('cpu') / of('fullCpu') },
      peer: { name: 'full lists', measured: timeText(of('fullCpu')) },
      limit: { atMost: 1 },
    },
  ];
}
