import { EchelonError } from '../errors.ts';

const BLANK = /[ \t\r\n]/;

/** The state of the parser: between words, in a word, or inside quotes. */
interface ParserState {
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
  const state: ParserState = { text, at: 0, word: undefined };
  while (state.at < text.length) {
    const letter = text.charAt(state.at);
    if (BLANK.test(letter)) {
      if (state.word !== undefined) words.push(state.word);
      state.word = undefined;
      state.at += 1;
    } else {
      state.word = `${state.word ?? ''}${readPart(state, letter, source)}`;
    }
  }
  return state.word === undefined ? words : [...words, state.word];
}

function readPart(state: ParserState, letter: string, source: string): string {
  if (letter === "'") return singleQuoted(state, source);
  if (letter === '"') return doubleQuoted(state, source);
  return letter === '\\' ? escaped(state, source) : plain(state);
}

function plain(state: ParserState): string {
  const letter = state.text.charAt(state.at);
  state.at += 1;
  return letter;
}

function escaped(state: ParserState, source: string): string {
  if (state.at + 1 === state.text.length) throw malformed(source, 'ends in a backslash');
  state.at += 1;
  return plain(state);
}

function singleQuoted(state: ParserState, source: string): string {
  const start = state.at;
  const end = state.text.indexOf("'", start + 1);
  if (end === -1) throw malformed(source, `has a ' at character ${start + 1} that is not closed`);
  state.at = end + 1;
  return state.text.slice(start + 1, end);
}

function doubleQuoted(state: ParserState, source: string): string {
  const start = state.at;
  let content = '';
  state.at += 1;
  while (state.at < state.text.length) {
    const letter = plain(state);
    if (letter === '"') return content;
    const next = state.text.charAt(state.at);
    content += letter === '\\' && (next === '"' || next === '\\') ? plain(state) : letter;
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
