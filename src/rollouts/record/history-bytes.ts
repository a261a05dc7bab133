import * as z from 'zod';
import { byText, defined } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import { EVENT_KINDS, type RolloutEvent } from './history.ts';

const number = z.number().int();
const position = number.min(0);

/** The history of a scope: times and shards as differences, names as positions in tables. */
export const historyShape = z.strictObject({
  /** Shards that the scope does not have any more; those that it has come before them. */
  gone: z.array(z.string()),
  tracks: z.array(z.string()),
  events: z.array(
    z.strictObject({
      t: number,
      k: z.enum(EVENT_KINDS),
      n: position,
      i: position.exactOptional(),
      w: z.string().exactOptional(),
      s: z.array(number).exactOptional(),
      r: z.string().exactOptional(),
    }),
  ),
});

type StoredHistory = z.output<typeof historyShape>;

/** `ids` are those of the shards of the scope, in the order in which they are stored. */
export function historyJson(
  history: readonly RolloutEvent[],
  ids: readonly string[],
  imageAt: (image: string) => number,
): StoredHistory {
  const own = new Set(ids);
  const named = new Set(history.flatMap(({ shards }) => shards));
  const gone = [...named].filter((id) => !own.has(id)).sort(byText);
  const shardAt = positions([...ids, ...gone]);
  const tracks = [...new Set(history.map(({ track }) => track))].sort(byText);
  const trackAt = positions(tracks);
  const times = differences(history.map(({ at }) => at));
  const events = history.map(({ kind, track, image, wave, shards, reason }, at) => ({
    ...{ t: times[at] ?? 0, k: kind, n: trackAt(track) },
    ...defined({
      i: image === undefined ? undefined : imageAt(image),
      w: wave,
      s: shards.length === 0 ? undefined : differences(shards.map(shardAt)),
      r: reason,
    }),
  }));
  return { gone, tracks, events };
}

/** `textAt` throws where a table has no such position. */
export function historyOf(
  { gone, tracks, events }: StoredHistory,
  ids: readonly string[],
  imageAt: (position: number) => string,
  textAt: (texts: readonly string[], position: number) => string,
): RolloutEvent[] {
  const shards = [...ids, ...gone];
  const times = sums(events.map(({ t }) => t));
  return events.map(({ k, n, i, w, s = [], r }, at) => ({
    ...{ at: (times[at] ?? 0) as Instant, track: textAt(tracks, n), kind: k },
    ...defined({ image: i === undefined ? undefined : imageAt(i), wave: w }),
    shards: sums(s).map((one) => textAt(shards, one)),
    ...defined({ reason: r }),
  }));
}

function positions(texts: readonly string[]): (text: string) => number {
  const at = new Map(texts.map((text, index) => [text, index]));
  return (text) => at.get(text) ?? 0;
}

function differences(numbers: readonly number[]): number[] {
  return numbers.map((one, at) => one - (numbers[at - 1] ?? 0));
}

function sums(numbers: readonly number[]): number[] {
  let sum = 0;
  return numbers.map((one) => {
    sum += one;
    return sum;
  });
}
