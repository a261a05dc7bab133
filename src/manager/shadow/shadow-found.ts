import { shortened } from '../../base/index.ts';
import type { ShadowRecord } from '../../rollouts/index.ts';
import type { CountedLine, ShadowComparison } from '../../shadow/index.ts';

/** The record of many shards has to stay small. */
const MOST_LINES = 5;

/** What the record of a rollout keeps of a comparison. Pure. */
export function shadowFound(
  { result, reasons, actions, digest }: Pick<ShadowComparison, 'result' | 'reasons' | 'actions' | 'digest'>,
  of: Pick<ShadowRecord, 'image' | 'baseline' | 'at'>,
): ShadowRecord {
  if (result === 'inconclusive') return inconclusive(reasons.join('; '), of);
  if (result !== 'different') return { ...of, result: 'same', differences: 0 };
  const { onlyInCandidate, onlyInBaseline } = actions;
  return {
    ...of,
    result,
    differences: total(onlyInCandidate) + total(onlyInBaseline),
    digest: `sha256:${digest}`,
    text: textOf([...onlyInCandidate.map(lineOf('+')), ...onlyInBaseline.map(lineOf('-'))]),
  };
}

/** A comparison without a result, and why. */
export function inconclusive(reason: string, of: Pick<ShadowRecord, 'image' | 'baseline' | 'at'>): ShadowRecord {
  return { ...of, result: 'inconclusive', differences: 0, text: shortened(reason) };
}

function total(lines: readonly CountedLine[]): number {
  return lines.reduce((sum, { count }) => sum + count, 0);
}

function lineOf(sign: '+' | '-'): (line: CountedLine) => string {
  return ({ text, count }) => {
    const [line = ''] = text.split('\n');
    return `${sign} ${shortened(line)}${count > 1 ? ` (${count} times)` : ''}`;
  };
}

function textOf(lines: readonly string[]): string {
  const left = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES), ...(left > 0 ? [`… and ${left} more`] : [])].join('\n');
}
