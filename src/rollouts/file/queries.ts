import type { QueryAnswer, ShardFacts } from '../facts.ts';
import type { HealthQuery } from './rollout-file.ts';

/** What a query is asked about; `pods` are those seen running the target. */
export interface QuerySubject extends Pick<ShardFacts, 'integration' | 'shard' | 'cluster' | 'namespace'> {
  readonly image: string;
  readonly pods: readonly string[];
}

const VARIABLE = /\$(integration|shard|cluster|namespace|image|pods)\b/g;

/** The expression to ask; undefined where it is about pods and none runs the target yet. */
export function promqlOf({ promql }: HealthQuery, subject: QuerySubject): string | undefined {
  const { pods } = subject;
  if (pods.length === 0 && /\$pods\b/.test(promql)) return undefined;
  const values: Readonly<Record<string, string>> = { ...subject, pods: pods.map(escapePattern).join('|') };
  return promql.replaceAll(VARIABLE, (_, name: string) => inString(values[name] ?? ''));
}

/** One finite sample as expected, or not; anything else is unknown (F4). */
export function queryAnswer({ expect: { min, max } }: HealthQuery, samples: readonly number[]): QueryAnswer {
  const [sample] = samples;
  if (samples.length !== 1 || sample === undefined || !Number.isFinite(sample)) return 'unknown';
  return sample >= (min ?? sample) && sample <= (max ?? sample) ? 'expected' : 'wrong';
}

/** What a query gave, and what was expected: `3, expected at most 0`. */
export function queryText({ expect: { min, max } }: HealthQuery, samples: readonly number[]): string {
  const [sample] = samples;
  if (sample === undefined) return 'no sample, expected one';
  if (samples.length > 1) return `${samples.length} samples, expected one`;
  const least = min === undefined ? [] : [`at least ${min}`];
  const most = max === undefined ? [] : [`at most ${max}`];
  return `${sample}, expected ${[...least, ...most].join(' and ') || 'a finite number'}`;
}

function escapePattern(name: string): string {
  return name.replaceAll(/[^\w-]/g, (char) => `\\${char}`);
}

/** As part of a text in double quotes. */
function inString(value: string): string {
  return value.replaceAll(/[\\"]/g, (char) => `\\${char}`).replaceAll('\n', '\\n');
}
