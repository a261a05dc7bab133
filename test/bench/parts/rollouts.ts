import { runScript } from '../measure.ts';
import { script } from '../part.ts';
import { type Row, timeText } from '../row.ts';

const LIMIT_MS = 250;

/** Deciding about every shard of a large fleet, and twice as many. */
export function benchRollouts(): Row[] {
  const sample = runScript(script('rollouts.ts'), []);
  const of = (name: string): number => sample[name] ?? Number.NaN;
  const single = timeText(of('milliseconds'));
  return [
    {
      what: 'rollouts, 5,000 shards in 200 tracks decided',
      echelon: `${single}, a record of ${Math.round(of('bytes') / 1_024)} KiB`,
      peer: { name: 'what a pass may take', measured: timeText(LIMIT_MS) },
      ratio: of('milliseconds') / LIMIT_MS,
      limit: { atMost: 1 },
    },
    {
      what: 'rollouts, 10,000 shards in 200 tracks, time per shard',
      echelon: timeText(of('doubled')),
      peer: { name: '5,000 shards', measured: single },
      ratio: of('doubled') / of('milliseconds') / 2,
      limit: { atMost: 1.5 },
    },
  ];
}
