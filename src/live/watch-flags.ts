import { EchelonError } from '../base/index.ts';

/** They say how to watch; without `--watch` they would do nothing. */
const HOW_TO_WATCH: readonly string[] = ['interval', 'timeout'];

/** Refuses flags for watching that a user gave without `--watch`. */
export function requireWatch(watch: boolean | undefined, isGiven: (flag: string) => boolean): void {
  const idle = HOW_TO_WATCH.filter(isGiven).map((flag) => `--${flag}`);
  if (watch === true || idle.length === 0) return;
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `${idle.join(' and ')} ${idle.length === 1 ? 'requires' : 'require'} --watch`,
    hint: `pass --watch to observe again and again, or omit ${idle.join(' and ')} to observe once`,
  });
}
