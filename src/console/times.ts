import { type Instant, MICROS, type Opening, parseInstant, secondText } from '../gates/index.ts';
import { type Html, html } from './html.ts';

/** `2 min ago`, `in 3 days`. */
export function relativeText(at: Instant, now: Instant): string {
  const length = lengthText(Math.abs(at - now));
  if (length === '') return 'now';
  return at > now ? `in ${length}` : `${length} ago`;
}

/** `40 s`, `2 min`, `5 h`, `3 days`; empty below a second. */
function lengthText(micros: number): string {
  if (micros < MICROS.second) return '';
  if (micros < 2 * MICROS.minute) return `${Math.round(micros / MICROS.second)} s`;
  if (micros < 2 * MICROS.hour) return `${Math.round(micros / MICROS.minute)} min`;
  if (micros < 2 * MICROS.day) return `${Math.round(micros / MICROS.hour)} h`;
  return `${Math.round(micros / MICROS.day)} days`;
}

/** `2026-03-02 13:00 UTC`, with the exact time as an attribute. */
export function time(at: Instant): Html {
  return html`<time datetime="${secondText(at)}">${minuteText(at)}</time>`;
}

/** `2026-03-02 13:00 UTC (in 2 days)`. */
export function timeWithAge(at: Instant, now: Instant): Html {
  return html`${time(at)} <small data-age>(${relativeText(at, now)})</small>`;
}

/** The same where rows are searched while typing: the age is shown, and is no part of the text. */
export function timeInRow(at: Instant, now: Instant): Html {
  return html`<time datetime="${secondText(at)}" data-age="${relativeText(at, now)}">${minuteText(at)}</time>`;
}

const ISO_TIME = /\b(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?Z/g;

/** A sentence of a gate with its times as everywhere else. */
export function withTimes(sentence: string): string {
  return sentence.replace(ISO_TIME, '$1 $2 UTC');
}

/** When something can open: `2026-03-02 13:00 UTC (in 2 days), and after canary has passed`. */
export function openingTime(opening: Opening, now: Instant): Html {
  const at = 'at' in opening ? parseInstant(opening.at) : undefined;
  const after = opening.after === undefined ? '' : `after ${opening.after}`;
  if (at === undefined) return html`${after}`;
  return html`${timeWithAge(at, now)}${after === '' ? '' : `, and ${after}`}`;
}

export function minuteText(at: Instant): string {
  return `${secondText(at).slice(0, 16).replace('T', ' ')} UTC`;
}

/** The same for a time that is text already. */
export function timeOf(text: string): Html {
  return html`<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
