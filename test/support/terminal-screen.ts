/** A terminal, as far as Echelon may steer one: any other control character or sequence is an error. */
export interface TerminalScreen {
  write(text: string): void;
  /** The lines that a user sees now, without trailing spaces and empty lines. */
  shown(): string[];
  /** Whether it shows another screen, the cursor, and wraps lines. */
  modes(): { readonly alternate: boolean; readonly cursor: boolean; readonly wrap: boolean };
  resize(columns: number, rows: number): void;
}

interface Page {
  lines: string[][];
  row: number;
  column: number;
}

const [ESCAPE, SEQUENCE] = ['\u001b[', /^[?\d;]*[A-Za-z]/];
/** What may stand behind the escape character where a sequence was cut off: programs and kernels hand over any number of bytes. */
const UNFINISHED = /^(?:\[[?\d;]*)?$/;
const [ALTERNATE, CURSOR, WRAP] = ['?1049', '?25', '?7'];
const emptyPage = (): Page => ({ lines: [[]], row: 0, column: 0 });

function lineOf(page: Page): string[] {
  while (page.lines.length <= page.row) page.lines.push([]);
  return page.lines[page.row] ?? [];
}

/** A full line leaves the cursor on its last character, which is erased too. */
function cutLine(page: Page, columns: number): void {
  page.lines[page.row] = lineOf(page).slice(0, Math.min(page.column, columns - 1));
}

const ACTS: Readonly<Record<string, (page: Page, columns: number) => void>> = {
  H: (page) => Object.assign(page, { row: 0, column: 0 }),
  G: (page) => Object.assign(page, { column: 0 }),
  K: cutLine,
  '2K': (page) => {
    page.lines[page.row] = [];
  },
  J: (page, columns) => {
    cutLine(page, columns);
    page.lines.length = page.row + 1;
  },
};

/** A text, and the beginning of a sequence at its end. */
function withoutUnfinished(text: string): [whole: string, unfinished: string] {
  const at = text.lastIndexOf('\u001b');
  return at >= 0 && UNFINISHED.test(text.slice(at + 1)) ? [text.slice(0, at), text.slice(at)] : [text, ''];
}

export function terminalScreen(columns: number, rows: number): TerminalScreen {
  let size = { columns, rows };
  let alternate = emptyPage();
  let unfinished = '';
  const normal = emptyPage();
  const modes = new Map([
    [ALTERNATE, false],
    [CURSOR, true],
    [WRAP, true],
  ]);
  const isLive = (): boolean => modes.get(ALTERNATE) === true;
  const page = (): Page => (isLive() ? alternate : normal);
  const feed = (at: Page): void => {
    Object.assign(at, { row: at.row + 1, column: 0 });
    lineOf(at);
    if (isLive() && at.row >= size.rows) throw new Error('the live screen scrolls');
  };
  const put = (at: Page, char: string): void => {
    if (/\p{Cc}/u.test(char)) throw new Error(`unexpected control character ${JSON.stringify(char)}`);
    if (isLive() && at.column >= size.columns) throw new Error('a line of the live screen is too long');
    if (at.column >= size.columns) feed(at);
    const line = lineOf(at);
    while (line.length < at.column) line.push(' ');
    line[at.column] = char;
    at.column += 1;
  };
  const type = (char: string): void => {
    if (char === '\n') feed(page());
    else if (char === '\r') page().column = 0;
    else put(page(), char);
  };
  const steer = (sequence: string): void => {
    const mode = sequence.slice(0, -1);
    if (sequence.endsWith('m')) return;
    if (modes.has(mode)) {
      if (sequence === `${ALTERNATE}h`) alternate = emptyPage();
      modes.set(mode, sequence.endsWith('h'));
    } else {
      const act = ACTS[sequence];
      if (act === undefined) throw new Error(`unexpected sequence ESC[${sequence}`);
      act(page(), size.columns);
    }
  };
  return {
    write: (text) => {
      const [whole, cutOff] = withoutUnfinished(unfinished + text);
      unfinished = cutOff;
      const [first = '', ...rest] = whole.split(ESCAPE);
      for (const char of first) type(char);
      for (const part of rest) {
        const [sequence = ''] = SEQUENCE.exec(part) ?? [];
        steer(sequence);
        for (const char of part.slice(sequence.length)) type(char);
      }
    },
    shown: () => {
      const texts = page().lines.map((line) => line.join('').trimEnd());
      return texts.slice(0, texts.findLastIndex((text) => text !== '') + 1);
    },
    modes: () => ({
      alternate: isLive(),
      cursor: modes.get(CURSOR) === true,
      wrap: modes.get(WRAP) === true,
    }),
    resize: (newColumns, newRows) => {
      size = { columns: newColumns, rows: newRows };
    },
  };
}
