import { resolvedScalar } from './yaml11-types.ts';

/** Words that are read as something else than text. */
const WORDS: ReadonlySet<string> = new Set(
  ['null', 'true', 'false', 'yes', 'no', 'on', 'off'].flatMap((word) => [
    word,
    word.toUpperCase(),
    `${word.charAt(0).toUpperCase()}${word.slice(1)}`,
  ]),
);
const LONGEST_WORD = 5;

const [DOUBLE_QUOTE, SINGLE_QUOTE] = [0x22, 0x27];

/**
 * The value of a scalar that is written on one line of a block, as `'text'`, `4.7`, `{}` or `plain # comment`. Undefined for what is not one,
 * and for what is better read by the library: escapes, flow collections, anchors, tags.
 */
export function plainScalar(written: string): unknown {
  const first = written.charCodeAt(0);
  if (isLetter(first) || first === 0x2f || first === 0x24 || first === 0x5e) return plainText(written);
  if (first === SINGLE_QUOTE || first === DOUBLE_QUOTE) return quoted(written);
  if (written === '{}') return {};
  if (written === '[]') return [];
  return MAYBE_NUMBER.test(written) ? typed(written) : undefined;
}

/** A letter, or one of / $ ^ begins text, but for a few words. */
function plainText(written: string): unknown {
  const text = withoutComment(written);
  if (text === undefined) return undefined;
  return text.length <= LONGEST_WORD && WORDS.has(text) ? resolvedScalar(text) : text;
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

const MAYBE_NUMBER = /^(?:[-+.]?\d|~)/;

function typed(written: string): unknown {
  const text = withoutComment(written);
  return text === undefined ? undefined : resolvedScalar(text);
}

/** Undefined for what is not one plain scalar. */
function withoutComment(written: string): string | undefined {
  const comment = written.indexOf(' #');
  const text = comment === -1 ? written : withoutTrailingSpaces(written.slice(0, comment));
  return text.includes(': ') || text.endsWith(':') ? undefined : text;
}

/** Other white space, such as the space of Chinese and Japanese text, is part of a scalar. */
function withoutTrailingSpaces(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === ' ') end -= 1;
  return text.slice(0, end);
}

/** Without an escape or another quote. */
function quoted(written: string): string | undefined {
  const quote = written.charAt(0);
  const end = written.length - 1;
  if (end < 1 || written.indexOf(quote, 1) !== end) return undefined;
  return quote === '"' && written.includes('\\') ? undefined : written.slice(1, end);
}
