import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Shuffles files by seed and name. Vitest's own shuffling begins with the order in which files are found, which differs from run to run. */
export class SeededOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, sequence } = this.ctx.config;
    const rank = ({ moduleId }: TestSpecification): string =>
      hash('sha256', `${sequence.seed} ${relative(root, moduleId)}`);
    const ranked = files.map((file) => ({ file, rank: rank(file) }));
    return ranked.toSorted((one, other) => (one.rank < other.rank ? -1 : 1)).map(({ file }) => file);
  }
}

/** Seed of the order of tests: `SEED`, else made of the commit, so that a run can be repeated and every commit tries another. */
export function orderSeed(given: string | undefined, folder: string): number {
  if (given !== undefined && given !== '') {
    const seed = Number(given);
    if (Number.isSafeInteger(seed)) return seed;
    throw new Error(`SEED is ${given}, which is not a whole number`);
  }
  return Number.parseInt(commitOf(folder).slice(0, 8), 16);
}

/** Zeros outside a clone, such as in an unpacked archive. */
function commitOf(folder: string): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '0'.repeat(40);
  }
}
