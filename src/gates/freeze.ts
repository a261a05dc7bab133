import { defined } from '../base/index.ts';
import { type Instant, parseInstant, secondText } from './instant.ts';

/** A time in which nothing moves forward; its end is outside. */
export interface Freeze {
  readonly from: Instant;
  readonly until: Instant;
  readonly reason?: string;
}

/** `2026-12-20T00:00:00Z/2027-01-03T00:00:00Z=quarter end`, the reason being optional. */
export function parseFreeze(text: string): Freeze | { readonly fault: string } {
  const [span = '', ...rest] = text.split('=');
  const ends = span.split('/').map((end) => end.trim());
  if (ends.length !== 2) return { fault: 'it is not FROM/UNTIL' };
  const [from, until] = ends.map(parseInstant);
  if (from === undefined) return { fault: `${JSON.stringify(ends[0])} is not a time in ISO 8601` };
  if (until === undefined) return { fault: `${JSON.stringify(ends[1])} is not a time in ISO 8601` };
  if (until <= from) return { fault: 'it ends before it begins' };
  return { from, until, ...defined({ reason: rest.join('=').trim() || undefined }) };
}

/** What keeps something from happening between two times, both included: the first freeze, and the end of all that join it. */
export function freezeBetween<Any extends Freeze>(
  freezes: readonly Any[],
  start: Instant,
  end: Instant,
): { readonly freeze: Any; readonly until: Instant } | undefined {
  const sorted = freezes.filter(({ until }) => until > start).sort((a, b) => a.from - b.from);
  const [freeze] = sorted;
  if (freeze === undefined || freeze.from > end) return undefined;
  let until = freeze.until;
  for (const next of sorted) if (next.from <= until && next.until > until) until = next.until;
  return { freeze, until };
}

/** `quarter end, until 2027-01-03T00:00:00Z`, or `until 2027-01-03T00:00:00Z`. */
export function freezeText({ reason }: Pick<Freeze, 'reason'>, until: Instant): string {
  return `${reason === undefined ? '' : `${reason}, `}until ${secondText(until)}`;
}
