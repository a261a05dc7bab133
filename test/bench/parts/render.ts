import { join } from 'node:path';
import { generateShards } from '../generate-shards.ts';
import { median, runScript, type Sample } from '../measure.ts';
import { script } from '../part.ts';
import { helmVersion } from '../peer-versions.ts';
import { type Row, sizeText, timeText } from '../row.ts';

const SHARDS = 1_000;
const ROUNDS = 3;

/** From a snapshot to the objects of a fleet, beside `helm template` with the same values. */
export async function benchRender(folder: string): Promise<Row[]> {
  const helm = await helmVersion();
  generateShards(join(folder, 'shards'), SHARDS);
  const samples = Array.from({ length: ROUNDS }, () =>
    runScript(script('render-shards.ts'), [join(folder, 'shards'), folder]),
  );
  const of = (measure: (sample: Sample) => number): number => median(samples.map(measure));
  const time = timeText(of(({ milliseconds }) => milliseconds));
  return [
    {
      what: `${SHARDS} shards from snapshot to objects`,
      echelon: `${time}, ${sizeText(of(({ maxRss }) => maxRss))}`,
      peer: {
        name: `${helm} template`,
        measured: timeText(of(({ bare = Number.NaN }) => bare)),
        how: 'The chart of integrations with the values that Echelon made, as JSON, once for all shards; its output is read and dropped.',
      },
      ratio: of(({ milliseconds, bare = Number.NaN }) => milliseconds / bare),
      limit: { atMost: 2 },
    },
    {
      what: `${SHARDS} shards rendered again, unchanged`,
      echelon: timeText(of(({ second = Number.NaN }) => second)),
      peer: { name: 'the first time', measured: time },
      ratio: of(({ milliseconds, second = Number.NaN }) => second / milliseconds),
      limit: { atMost: 0.05 },
    },
  ];
}
