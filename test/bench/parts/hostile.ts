import { join } from 'node:path';
import { HOSTILE_NAMES, writeHostile } from '../hostile-files.ts';
import { AS_STARTED, runScript } from '../measure.ts';
import { script } from '../part.ts';
import { type Row, timeText } from '../row.ts';

const LIMIT_MS = 1_000;

/** The longest that reading a hostile file keeps a manager from renewing its lease and answering probes. */
export function benchHostile(folder: string): Row[] {
  return HOSTILE_NAMES.map((name, index) => {
    const place = join(folder, String(index));
    writeHostile(name, place);
    const { longest = Number.NaN } = runScript(script('hostile-pass.ts'), [place], AS_STARTED);
    return {
      what: `hostile files, ${name}: longest step`,
      echelon: timeText(longest),
      peer: { name: 'what a loop may wait', measured: timeText(LIMIT_MS) },
      ratio: longest / LIMIT_MS,
      limit: { atMost: 1 },
    };
  });
}
