import { EchelonError } from '../errors.ts';

const BLANK = /[ \t\r\n]/;

/** The state of the parser: between words, in a word, or inside quotes. */
interface Reading {
  readonly text: string;
  at: number;
  /** Undefined between words; an empty word was quoted. */
  word: string | undefined;
}

/**
 * Splits words like a shell and like the existing runtime: `'…'` is literal, in `"…"` a backslash escapes
 * only `"` and `\`, outside quotes it escapes anything. No variables, patterns or comments.
 *
 * @param source names the text in an error, such as `INTEGRATION_EXTRA_ARGS`; the text itself is never shown.
 */
export function shellWords(text: string, source: string): string[] {
  const words: string[] = [];
  const reading: Reading = { text, at: 0, word: undefined };
  while (reading.at < text.length) {
    const letter = text.charAt(reading.at);
    if (BLANK.test(letter)) {
      if (reading.word !== undefined) words.push(reading.word);
      reading.word = undefined;
      reading.at += 1;
    } else {
      reading.word = `${reading.word ?? ''}${readPart(reading, letter, source)}`;
    }
  }
  return reading.word === undefined ? words : [...words, reading.word];
}

function readPart(reading: Reading, letter: string, source: string): string {
  if (letter === "'") return singleQuoted(reading, source);
  if (letter === '"') return doubleQuoted(reading, source);
  return letter === '\\' ? escaped(reading, source) : plain(reading);
}

function plain(reading: Reading): string {
  const letter = reading.text.charAt(reading.at);
  reading.at += 1;
  return letter;
}

function escaped(reading: Reading, source: string): string {
  if (reading.at + 1 === reading.text.length) throw malformed(source, 'ends in a backslash');
  reading.at += 1;
  return plain(reading);
}

function singleQuoted(reading: Reading, source: string): string {
  const start = reading.at;
  const end = reading.text.indexOf("'", start + 1);
  if (end === -1) throw malformed(source, `has a ' at character ${start + 1} that is not closed`);
  reading.at = end + 1;
  return reading.text.slice(start + 1, end);
}

function doubleQuoted(reading: Reading, source: string): string {
  const start = reading.at;
  let content = '';
  reading.at += 1;
  while (reading.at < reading.text.length) {
    const letter = plain(reading);
    if (letter === '"') return content;
    const next = reading.text.charAt(reading.at);
    content += letter === '\\' && (next === '"' || next === '\\') ? plain(reading) : letter;
  }
  throw malformed(source, `has a " at character ${start + 1} that is not closed`);
}

function malformed(source: string, problem: string): EchelonError {
  return new EchelonError({
    code: 'WORDS_INVALID',
    message: `${source} ${problem}`,
    hint: `quote the arguments in ${source} as for a shell`,
  });
}

/** The words as one text that `shellWords`, and a shell, splits into the same words. */
export function shellText(words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}
