import { runScript } from '../measure.ts';
import { script } from '../part.ts';
import { type Row, timeText } from '../row.ts';

/** What four times as much of the nastiest data of others costs: quadratic work would cost 16 times as much. */
export function benchScaling(): Row[] {
  const { milliseconds: _, maxRss: __, ...found } = runScript(script('scaling.ts'), []);
  const names = Object.keys(found).flatMap((key) => (key.endsWith(' small') ? [key.slice(0, -' small'.length)] : []));
  return names.map((name) => {
    const [small = Number.NaN, large = Number.NaN] = [found[`${name} small`], found[`${name} large`]];
    return {
      what: `four times as much, ${name}`,
      echelon: timeText(large),
      peer: { name: 'a quarter of it', measured: timeText(small) },
      // What takes no time at all has no ratio.
      ratio: large / Math.max(small, 1),
      limit: { atMost: 8 },
    };
  });
}
