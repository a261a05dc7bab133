import { escapeControls, wrapped } from '../base/index.ts';
import { liveScreen, type ScreenPaint, type WatchState } from './live-screen.ts';
import { liveTerminal, type TerminalPorts } from './live-terminal.ts';
import type { RowChange } from './row-changes.ts';
import type { Watched } from './watch.ts';
import { endLines, watchLines } from './watch-lines.ts';

export interface OutputPorts extends TerminalPorts {
  readonly stderr: { write(text: string): void };
  /** A line of text with its end, whatever it contains. */
  readonly line: (text: string) => string;
  readonly paint: ScreenPaint;
  /** Whether to draw on the terminal; otherwise every change is a line on standard error. */
  readonly isLive: boolean;
}

export interface WatchOutput {
  show(state: WatchState, changes: readonly RowChange[]): void;
  /** Lines of what observes: each once, and not into a screen that is being drawn. Other text, such as progress, only where nothing is drawn. */
  note(text: string): void;
  isDrawn(): boolean;
  /** Leaves the screen; may be called more than once. */
  leave(): void;
  /** Says why the watch ended, if it did before all was well. */
  end(watched: Omit<Watched<unknown>, 'seen'>): void;
}

export function watchOutput(ports: OutputPorts): WatchOutput {
  const { stdout, stderr, line, paint, isLive } = ports;
  const terminal = liveTerminal(ports);
  const noted = new Set<string>();
  let late = '';
  let before: WatchState | undefined;
  return {
    isDrawn: terminal.isDrawn,
    show: (state, changes) => {
      if (isLive && state.view.awaited !== undefined) terminal.draw((size) => liveScreen(state, size, paint));
      if (!isLive) stderr.write(watchLines(before, state, changes).map(line).join(''));
      before = state;
    },
    note: (text) => {
      const isLine = text.endsWith('\n');
      if (isLine && noted.has(text)) return;
      if (isLine) noted.add(text);
      if (!terminal.isDrawn()) stderr.write(text);
      else if (isLine) late += text;
    },
    leave: () => {
      terminal.leave();
      if (late !== '') stderr.write(late);
      late = '';
    },
    end: (watched) => {
      const { columns = Number.POSITIVE_INFINITY } = isLive ? stdout : {};
      const lines = endLines(watched).flatMap((text) => wrapped(escapeControls(text), columns));
      if (lines.length > 0) stderr.write(lines.map(line).join(''));
    },
  };
}
