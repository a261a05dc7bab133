import { BUILT_IN_MASKS, type Mask } from './masks.ts';
import { literalAt } from './python-literal.ts';

/** Longer messages are compared as text: no list of an action is that long. */
const LONGEST_LITERAL = 64 * 1024;
/** Where a literal may begin inside a message; only the first few are tried, so that a message is read in linear time. */
const MOST_STARTS = 4;
const OPENING = /[[{]|\b(?:frozen)?set\(/g;

/** A message as it is compared: masked, and with the sets and mappings in it sorted. */
export function normalised(message: string, masks: readonly Mask[] = []): string {
  const masked = [...BUILT_IN_MASKS, ...masks].reduce((text, { apply }) => apply(text), message);
  return masked.length > LONGEST_LITERAL ? masked : sorted(masked);
}

function sorted(text: string): string {
  let shown = '';
  let from = 0;
  let starts = 0;
  for (const { index } of text.matchAll(OPENING)) {
    if (index < from) continue;
    if (starts === MOST_STARTS) break;
    starts += 1;
    const literal = literalAt(text, index);
    if (literal === undefined) continue;
    shown += text.slice(from, index) + literal.text;
    from = literal.end;
  }
  return shown + text.slice(from);
}
