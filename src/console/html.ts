import { type Instant, type Opening, parseInstant, relativeText, secondText } from '../gates/index.ts';

/** Trusted markup; everything else is escaped when it is inserted. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Markup = Html | string | number | undefined | false | readonly Markup[];

/** Markup with inserted values. Any value other than `Html` is escaped. */
export function html(strings: TemplateStringsArray, ...values: readonly Markup[]): Html {
  let text = strings[0] ?? '';
  for (const [index, value] of values.entries()) text += markupOf(value) + (strings[index + 1] ?? '');
  return new Html(text);
}

function markupOf(value: Markup): string {
  if (value instanceof Html) return value.text;
  if (value === undefined || value === false) return '';
  if (typeof value === 'object') return value.map(markupOf).join('');
  return escaped(String(value));
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Control and direction characters, which could hide or reorder text. */
const INVISIBLE = /(?![\t\n\r])[\p{Cc}\p{Noncharacter_Code_Point}\u202a-\u202e\u2066-\u2069]/gu;

/** Safe in text and in quoted attributes. */
export function escaped(text: string): string {
  return text.replace(INVISIBLE, '\ufffd').replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char);
}

/** `2026-03-02 13:00 UTC`, with the exact time as an attribute. */
function time(at: Instant): Html {
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

/** A sentence with its times as everywhere else, where there is no place for markup: in what is searched or hovered over. */
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

/** Text between tags, but for that of elements which show it as it is: commands to copy, and what has no elements inside. */
const TEXT = /<(code|option|title)\b[^>]*>[^<]*<\/\1>|>[^<]+/g;

/**
 * The content of a page with every time in a sentence as everywhere else, and its age beside it: whoever wrote the sentence, a
 * gate, an error or a user, need not know how a page shows times.
 */
export function agedTimes({ text }: Html, now: Instant): Html {
  return new Html(
    text.replace(TEXT, (found, element?: string) =>
      element !== undefined ? found : found.replace(ISO_TIME, (written) => agedTime(written, now)),
    ),
  );
}

function agedTime(written: string, now: Instant): string {
  const at = parseInstant(written);
  return at === undefined ? written : timeInRow(at, now).text;
}
