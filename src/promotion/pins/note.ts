import { pinError } from './select-entries.ts';

/** Why a shard is pinned and until when, as the comment behind its image tells. */
export interface PinNote {
  readonly reason?: string;
  /** A day, `2026-12-01`. */
  readonly until?: string;
}

const MAX_REASON = 200;
/** What people write themselves may have the day anywhere. */
const UNTIL = /\buntil (\d{4}-\d{2}-\d{2})\b/;
const OWN_PREFIX = /^until \d{4}-\d{2}-\d{2}(?::\s*|$)/;

/** The text of the comment; undefined when there is nothing to say. */
export function noteText({ reason, until }: PinNote): string | undefined {
  const said = reason === undefined ? undefined : oneLine(reason);
  if (until === undefined) return said;
  if (!isDay(until)) throw pinError('FLAG_INVALID', `--until ${until} is no date`, 'write a day such as 2026-12-01');
  return said === undefined ? `until ${until}` : `until ${until}: ${said}`;
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
    throw pinError('FLAG_INVALID', 'the reason has characters that no comment can have', 'write it in plain text');
  }
  if (text.length > MAX_REASON) {
    throw pinError(
      'FLAG_INVALID',
      `the reason has ${text.length} characters, more than ${MAX_REASON}`,
      'shorten it, or name a ticket',
    );
  }
  return text === '' ? undefined : text;
}
