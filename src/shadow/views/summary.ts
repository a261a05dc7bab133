import { count } from '../../base/index.ts';
import type { ShadowResult } from '../compare/comparison.ts';
import { type ShadowReport, worstOf } from '../service/report.ts';

const RESULTS: readonly ShadowResult[] = ['same', 'noise', 'different', 'inconclusive'];

/** `3 shards: 2 same, 1 different`. */
export function shadowSummary({ shards }: ShadowReport): string {
  const counts = RESULTS.map(
    (result) => [result, shards.filter((one) => one.comparison.result === result).length] as const,
  );
  const texts = counts.filter(([, number]) => number > 0).map(([result, number]) => `${number} ${result}`);
  return `${count(shards.length, 'shard')}: ${texts.join(', ')}`;
}

/** What a result proves and what it does not, one sentence each. */
export function shadowProof(report: ShadowReport): string[] {
  const worst = worstOf(report.shards);
  const proofs: Readonly<Record<ShadowResult, readonly string[]>> = {
    same: [
      'Both images reported the same actions in dry run, on the same data, at the same time.',
      'That covers the names of resources and changed fields, not their content, and not what comes after a dry run stops.',
    ],
    noise: [
      'The images differ only in lines in which the baseline differs from itself; these lines were not compared.',
      'The others cover the names of resources and changed fields, not their content.',
    ],
    different: [
      'The images would not do the same, unless a message was only reworded or production changed in between.',
      ...(report.repeat === 0 ? ['Run again with --repeat 1 to see whether the baseline differs from itself.'] : []),
    ],
    inconclusive: ['A run that does not report all its actions proves nothing: fix it, or read the logs.'],
  };
  return [...proofs[worst]];
}
