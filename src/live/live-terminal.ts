import type { ScreenSize } from './live-screen.ts';

/** A terminal, and how to write a control sequence to it, without its introducer. */
export interface TerminalPorts {
  readonly stdout: {
    write(text: string): void;
    readonly columns?: number | undefined;
    readonly rows?: number | undefined;
    on?(event: 'resize', listener: () => void): unknown;
    off?(event: 'resize', listener: () => void): unknown;
  };
  readonly sequence: (code: string) => string;
  readonly signal: AbortSignal;
}

export interface LiveTerminal {
  /** Redraws in place, also when the terminal gets another size. */
  draw(linesFor: (size: ScreenSize) => readonly string[]): void;
  isDrawn(): boolean;
  /** Brings back what was there before; may be called more than once. */
  leave(): void;
}

/** Another screen, without a cursor and without line wrap: what the user had on the terminal comes back. */
const ENTER = ['?1049h', '?25l', '?7l'];
const LEAVE = ['?7h', '?25h', '?1049l'];
const USUAL_SIZE: ScreenSize = { columns: 80, rows: 24 };

/** Each drawing overwrites the one before line by line and in one piece, so that nothing flickers. */
export function liveTerminal({ stdout, sequence, signal }: TerminalPorts): LiveTerminal {
  const [home, endOfLine, below] = [sequence('H'), sequence('K'), sequence('J')];
  let redraw: (() => void) | undefined;
  const onResize = (): void => redraw?.();
  const leave = (): void => {
    if (redraw === undefined) return;
    redraw = undefined;
    stdout.off?.('resize', onResize);
    stdout.write(LEAVE.map(sequence).join(''));
  };
  const enter = (): void => {
    stdout.on?.('resize', onResize);
    // Another signal ends the process at once.
    signal.addEventListener('abort', leave, { once: true });
    stdout.write(ENTER.map(sequence).join(''));
  };
  return {
    leave,
    isDrawn: () => redraw !== undefined,
    draw: (linesFor) => {
      if (signal.aborted) return;
      if (redraw === undefined) enter();
      redraw = () => {
        const { columns = USUAL_SIZE.columns, rows = USUAL_SIZE.rows } = stdout;
        const lines = linesFor({ columns, rows });
        // Erasing after a line that is as wide as the terminal would take its last character.
        const rest = lines.length < rows ? `\n${below}` : '';
        stdout.write(`${home}${lines.map((line) => `${endOfLine}${line}`).join('\n')}${rest}`);
      };
      redraw();
    },
  };
}
