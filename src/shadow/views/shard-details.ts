import { count, shortDigests } from '../../base/index.ts';
import type { CountedLine, LineDifference } from '../compare/comparison.ts';
import type { ShardShadow } from '../service/report.ts';

/** What there is to read about a shard beyond its row. */
export interface ShardDetails {
  readonly title: string;
  /** Why it is inconclusive, and what a reviewer should know. */
  readonly remarks: readonly string[];
  /** The actions that differ as a diff, `-` for the baseline, and how many lines were left out. */
  readonly diff: readonly string[];
  /** Lines in which the baseline differs from itself. */
  readonly noise: readonly string[];
  readonly logs: readonly string[];
}

const MOST_LINES = 50;

/** A shard with something to read; undefined for one that is simply the same. */
export function shardDetails(
  { shard, comparison, runs }: ShardShadow,
  most: number = MOST_LINES,
): ShardDetails | undefined {
  const { result, reasons, notes, actions, warnings, digest } = comparison;
  const diff = diffLines(actions, runs.baseline.image, runs.candidate.image);
  if (result === 'same' && notes.length === 0) return undefined;
  return {
    title: `${shard.name} in ${shard.cluster}/${shard.namespace}: ${result}`,
    remarks: [
      ...reasons,
      ...notes.map((text) => `note: ${text}`),
      ...warningLines(warnings),
      ...(result === 'different' ? [`digest of the difference: sha256:${digest}`] : []),
    ],
    diff: limited(diff, most),
    noise: limited(actions.noise.map(countedText), most),
    logs: [runs.baseline.log, runs.candidate.log].filter((log) => log !== undefined),
  };
}

function diffLines({ onlyInBaseline, onlyInCandidate }: LineDifference, from: string, to: string): string[] {
  if (onlyInBaseline.length + onlyInCandidate.length === 0) return [];
  const marked = (mark: string, lines: readonly CountedLine[]): string[] =>
    lines.flatMap((line) => countedText(line).split('\n')).map((text) => `${mark}${text}`);
  return [
    `--- baseline ${shortDigests(from)}`,
    `+++ candidate ${shortDigests(to)}`,
    ...marked('-', onlyInBaseline),
    ...marked('+', onlyInCandidate),
  ];
}

function warningLines({ onlyInBaseline, onlyInCandidate }: LineDifference): string[] {
  return [
    ...limited(
      onlyInBaseline.map((line) => `warning only of the baseline: ${countedText(line)}`),
      5,
    ),
    ...limited(
      onlyInCandidate.map((line) => `warning only of the candidate: ${countedText(line)}`),
      5,
    ),
  ];
}

function countedText({ text, count: times }: CountedLine): string {
  return times === 1 ? text : `${text} (${times} times)`;
}

function limited(lines: readonly string[], most: number): string[] {
  return lines.length <= most
    ? [...lines]
    : [...lines.slice(0, most), `… and ${count(lines.length - most, 'more line')}`];
}
