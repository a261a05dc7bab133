/** Terminal cells: combining marks take none, East Asian wide characters and emoji take two. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += cellsOf(char);
  return width;
}

function cellsOf(char: string): number {
  if (/\p{Mark}|\p{Cf}/u.test(char)) return 0;
  return /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u.test(
    char,
  )
    ? 2
    : 1;
}

/** At most so many cells; `…` stands for what was cut, at the end or at the start. */
export function cut(text: string, width: number, side: 'end' | 'start' = 'end'): string {
  if (widthOf(text) <= width) return text;
  const chars = side === 'end' ? [...text] : [...text].reverse();
  let kept = '';
  let taken = 1;
  for (const char of chars) {
    taken += cellsOf(char);
    if (taken > width) break;
    kept = side === 'end' ? kept + char : char + kept;
  }
  return side === 'end' ? `${kept}…` : `…${kept}`;
}

/** A name keeps its end too: names of one kind often begin alike. */
export function cutName(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (!/^[a-z]/i.test(text)) return cut(text, width);
  const head = cut(text, Math.floor(width / 2));
  return `${head.slice(0, -1)}${cut(text, width - widthOf(head) + 1, 'start')}`;
}

/** Not inside a short parenthesis, such as `(in 60 min)`. */
const BETWEEN_WORDS = / (?![^()]{0,12}\))/;

/** Lines of at most so many cells, broken between words; a word that fits no line is cut. */
export function wrapped(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(BETWEEN_WORDS).map((each) => cut(each, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}
