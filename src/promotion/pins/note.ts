import { pinError } from './select-entries.ts';

/** Why a shard is pinned and until when, from the comment after its image. */
export interface PinNote {
  readonly reason?: string;
  /** A day, `2026-12-01`. */
  readonly until?: string;
}

const MAX_REASON = 200;
/** A hand-written comment may have the date anywhere. */
const UNTIL = /\buntil (\d{4}-\d{2}-\d{2})\b/;
const OWN_PREFIX = /^until \d{4}-\d{2}-\d{2}(?::\s*|$)/;

/** The text of the comment; undefined if the note is empty. */
export function noteText({ reason, until }: PinNote): string | undefined {
  const text = reason === undefined ? undefined : oneLine(reason);
  if (until === undefined) return text;
  if (!isDay(until))
    throw pinError('FLAG_INVALID', `--until ${until} is not a valid date`, 'use a date such as 2026-12-01');
  return text === undefined ? `until ${until}` : `until ${until}: ${text}`;
}

export function readNote(comment: string): PinNote {
  const until = UNTIL.exec(comment)?.[1];
  const isDated = until !== undefined && isDay(until);
  const reason = isDated ? comment.replace(OWN_PREFIX, '') : comment;
  return { ...(isDated ? { until } : {}), ...(reason === '' ? {} : { reason }) };
}

/** Whether the day is over, by UTC. */
export function isExpired({ until }: PinNote, now: Date): boolean {
  return until !== undefined && until < now.toISOString().slice(0, 10);
}

function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function oneLine(reason: string): string | undefined {
  const text = reason.replaceAll(/\s+/g, ' ').trim();
  if (/[^\x20-\x7e\u00a0-\u2027\u202a-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u.test(text) || !text.isWellFormed()) {
    throw pinError('FLAG_INVALID', 'the reason has characters that are not allowed in a comment', 'use plain text');
  }
  if (text.length > MAX_REASON) {
    throw pinError(
      'FLAG_INVALID',
      `the reason has ${text.length} characters, more than ${MAX_REASON}`,
      'shorten it, or refer to a ticket',
    );
  }
  return text === '' ? undefined : text;
}
