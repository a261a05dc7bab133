import { defined, didYouMean, EchelonError, isImage, isImageDigest, isImageRef, shown } from '../../base/index.ts';
import { type Instant, later, millisecondsOf, parseInstant, secondTextAfter } from '../../gates/index.ts';
import { type Overrule, parseDuration, type RolloutFile } from '../../rollouts/index.ts';

/** A decision of a user about a track, as it was asked for. */
export interface OverruleRequest extends Pick<Overrule, 'track' | 'action' | 'image' | 'digest' | 'reason'> {
  /** ISO 8601. */
  readonly until?: string;
  /** A duration from now, such as `4h`. */
  readonly for?: string;
}

/** An overrule as it is written to the file: every value is text. */
export type WrittenOverrule = Readonly<Record<'track' | 'action' | 'at' | 'reason', string>> &
  Partial<Readonly<Record<'image' | 'digest' | 'until', string>>>;

/** The overrule that a request means at a time; throws what is wrong with it. */
export function newOverrule({ tracks }: RolloutFile, request: OverruleRequest, now: Instant): WrittenOverrule {
  const { track, action, image, digest, reason } = request;
  requireTrack(
    tracks.map(({ name }) => name),
    track,
  );
  if (image !== undefined && !isImageName(image)) {
    const hint = 'use a tag such as 8c41f7e, a tag with its digest, or the whole image';
    throw invalid(`--image ${shown(image)} is not an image`, hint);
  }
  if (digest !== undefined && !DIGEST.test(digest)) {
    const hint = 'use the digest that echelon rollout explain shows, such as sha256:0123456789ab';
    throw invalid(`--digest ${shown(digest)} is not the digest of a difference`, hint);
  }
  if (reason.trim() === '') throw invalid('--reason is empty', 'say why, such as --reason INC-123');
  const until = endOf(request, now);
  return {
    track,
    ...defined({ image }),
    action,
    ...defined({ digest }),
    at: new Date(millisecondsOf(now)).toISOString().replace('.000Z', 'Z'),
    ...defined({ until }),
    reason,
  };
}

const DIGEST = /^sha256:[0-9a-f]{12,64}$/;

function requireTrack(known: readonly string[], track: string): void {
  if (known.includes(track)) return;
  const otherwise = known.length === 0 ? 'declare it under tracks' : `use one of: ${known.slice(0, 10).join(', ')}`;
  const hint = didYouMean(track, known, otherwise);
  throw new EchelonError({ code: 'TRACK_UNKNOWN', message: `no track ${track} in the file of rollouts`, hint });
}

function isImageName(text: string): boolean {
  return isImage(text) || isImageRef(text) || (text.startsWith('@') && isImageDigest(text.slice(1)));
}

/** A pause and an expedite end by themselves. */
function endOf({ action, until, for: length }: OverruleRequest, now: Instant): string | undefined {
  if (until !== undefined && length !== undefined) throw invalid('two ends given', 'pass --until or --for');
  if (until !== undefined) {
    requireFuture(`--until ${until}`, parseInstant(until), now, 'a time such as 2026-12-20T18:00:00Z');
    return until;
  }
  if (length !== undefined) {
    return secondTextAfter(requireFuture(`--for ${length}`, endAfter(length, now), now, 'a duration such as 4h or 1d'));
  }
  if (action !== 'pause' && action !== 'expedite') return undefined;
  throw invalid(`${action} needs an end`, 'pass --until TIME or --for 4h');
}

function requireFuture(flag: string, end: Instant | undefined, now: Instant, form: string): Instant {
  if (end === undefined) throw invalid(`${flag} is not valid`, `use ${form}`);
  if (end <= now) throw invalid(`${flag} is not in the future`, 'use a later end');
  return end;
}

/** Undefined for what is not a duration, or too far away to be written as a time. */
function endAfter(length: string, now: Instant): Instant | undefined {
  const micros = parseDuration(length);
  const end = micros === undefined ? undefined : later(now, micros);
  return end !== undefined && Number.isSafeInteger(end) ? end : undefined;
}

function invalid(message: string, hint: string): EchelonError {
  return new EchelonError({ code: 'FLAG_INVALID', message, hint });
}
