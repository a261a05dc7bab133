import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { generateInstance } from '../generate-instance.ts';
import { inTurns, runScript, type Sample } from '../measure.ts';
import { REPO, script } from '../part.ts';
import { packageVersion } from '../peer-versions.ts';
import { type Row, sizeText, timeText } from '../row.ts';

const SCHEMAS = join(REPO, '../shared/contracts/qontract/schemas');
const FILES = 5_000;
const ROUNDS = 3;

/** Reading and checking a large instance, beside parsing its files and doing nothing with them. */
export function benchInstance(folder: string): Row[] {
  const example = join(REPO, 'examples/instance');
  const [apart, beside] = [join(folder, 'apart'), join(folder, 'beside')];
  const files = generateInstance(example, apart, FILES);
  generateInstance(example, beside, FILES, 'beside');
  const measured = (
    what: string,
    args: readonly string[],
    baseline: readonly string[],
    atMost?: number,
    root = apart,
  ): Row => {
    let last: Sample | undefined;
    const turns = inTurns(
      ROUNDS,
      () => {
        last = runScript(script('load-and-validate.ts'), [root, ...args]);
        if (last['problems'] !== 0) throw new Error(`the generated instance has ${last['problems']} problems`);
        return last.milliseconds;
      },
      () => runScript(script('bare-parse.ts'), [root, ...baseline]).milliseconds,
    );
    return {
      what: `${what}, ${files} files${root === beside ? ' laid out as instances are' : ''}`,
      echelon: `${timeText(turns.measured)}, ${sizeText(last?.maxRss ?? 0)}`,
      peer: {
        name: baseline.length === 0 ? 'bare parsing' : 'bare parsing that keeps its values',
        measured: timeText(turns.baseline),
        how: `js-yaml ${packageVersion('js-yaml')} with its defaults: every file read and parsed in one process, nothing else.`,
      },
      ratio: turns.ratio,
      ...(atMost === undefined ? {} : { limit: { atMost } }),
    };
  };
  return [
    measured('load and validate', [], [], 2),
    measured('load and validate', [], ['keep']),
    measured('load and validate', [], [], 2, beside),
    ...(existsSync(SCHEMAS)
      ? [apart, beside].map((root) => measured('load and validate against JSON schemas', [SCHEMAS], [], 4, root))
      : []),
  ];
}
