import { setTimeout as sleepFor } from 'node:timers/promises';
import { defined, escapeControls, wrapped } from '../base/index.ts';
import { instantOf } from '../gates/index.ts';
import {
  endLines,
  liveScreen,
  type RowChange,
  type ScreenPaint,
  type ScreenSize,
  type Watched,
  type WatchPorts,
  type WatchState,
  watch,
  watchLines,
} from '../watch/index.ts';
import { type Context, rewired } from './context.ts';
import { EXIT } from './io.ts';
import { isForTerminal } from './options.ts';
import { line, ownSequence } from './output/terminal.ts';

/** Flags of commands with `--watch`; durations are in seconds. */
export interface WatchFlags {
  readonly watch?: boolean;
  readonly interval?: number;
  readonly timeout?: number;
}

interface Watching {
  /** For the observation, which must not write into a screen that is being drawn. */
  readonly ctx: Context;
  /**
   * Observes once, or with `--watch` until nothing is waited for. To be finished with an exit code after the last observation
   * has been printed: says why, and gives another code, if something is still waited for.
   */
  until<Seen>(
    job: Pick<WatchPorts<Seen>, 'observe' | 'viewOf'>,
  ): Promise<{ readonly seen: Seen; finish(code: number): number }>;
}

/** On a terminal a table that is redrawn; elsewhere, and beside documents, a line on standard error for each change. */
export function watching(ctx: Context, flags: WatchFlags): Watching {
  const { stdout, stderr, env, signal } = ctx;
  const isLive = stdout.isTTY && env['TERM'] !== 'dumb' && isForTerminal(ctx.format);
  const { paint } = ctx.out;
  const output = watchOutput({ stdout, stderr, signal, line, sequence: ownSequence, paint, isLive });
  const quiet = rewired(ctx, {
    progress: ctx.progress === true && !isLive,
    stderr: {
      ...stderr,
      get isTTY() {
        return stderr.isTTY && !output.isDrawn();
      },
      write: output.note,
    },
  });
  return {
    ctx: flags.watch === true ? quiet : ctx,
    until: async ({ observe, viewOf }) => {
      if (flags.watch !== true) return { seen: await observe(), finish: (code) => code };
      const ports = {
        ...{ observe, viewOf, show: output.show, signal, elapsed: () => performance.now() },
        now: () => instantOf(ctx.clock.now().getTime()),
        sleep: ctx.sleep ?? ((ms: number) => sleepFor(ms, undefined, { signal }).catch(() => undefined)),
      };
      const timeout = flags.timeout === undefined ? undefined : flags.timeout * 1_000;
      try {
        const { seen, ...watched } = await watch(ports, {
          interval: (flags.interval ?? 2) * 1_000,
          ...defined({ timeout }),
        });
        const finish = (code: number): number => {
          output.end(watched);
          return { settled: code, 'timed-out': EXIT.failed, interrupted: EXIT.interrupted }[watched.end];
        };
        return { seen, finish };
      } finally {
        output.leave();
      }
    },
  };
}

interface OutputPorts extends TerminalPorts {
  readonly stderr: { write(text: string): void };
  /** A line of text with its end, whatever it contains. */
  readonly line: (text: string) => string;
  readonly paint: ScreenPaint;
  /** Whether to draw on the terminal; otherwise every change is a line on standard error. */
  readonly isLive: boolean;
}

interface WatchOutput {
  show(state: WatchState, changes: readonly RowChange[]): void;
  /** Prints a line of the observation once, and not into a screen that is being drawn. Other text, such as progress, is dropped there. */
  note(text: string): void;
  isDrawn(): boolean;
  /** Leaves the screen; may be called more than once. */
  leave(): void;
  /** Prints why the watch ended, if something is still waited for. */
  end(watched: Omit<Watched<unknown>, 'seen'>): void;
}

export function watchOutput(ports: OutputPorts): WatchOutput {
  const { stdout, stderr, line, paint, isLive } = ports;
  const terminal = liveTerminal(ports);
  const printed = new Set<string>();
  let deferred = '';
  let previous: WatchState | undefined;
  return {
    isDrawn: terminal.isDrawn,
    show: (state, changes) => {
      if (isLive && state.view.awaited !== undefined) terminal.draw((size) => liveScreen(state, size, paint));
      if (!isLive) stderr.write(watchLines(previous, state, changes).map(line).join(''));
      previous = state;
    },
    note: (text) => {
      const isLine = text.endsWith('\n');
      if (isLine && printed.has(text)) return;
      if (isLine) printed.add(text);
      if (!terminal.isDrawn()) stderr.write(text);
      else if (isLine) deferred += text;
    },
    leave: () => {
      terminal.leave();
      if (deferred !== '') stderr.write(deferred);
      deferred = '';
    },
    end: (watched) => {
      const { columns = Number.POSITIVE_INFINITY } = isLive ? stdout : {};
      const lines = endLines(watched).flatMap((text) => wrapped(escapeControls(text), columns));
      if (lines.length > 0) stderr.write(lines.map(line).join(''));
    },
  };
}

/** A terminal, and how to write a control sequence to it, without its introducer. */
interface TerminalPorts {
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

interface LiveTerminal {
  /** Redraws in place, also when the terminal gets another size. */
  draw(linesFor: (size: ScreenSize) => readonly string[]): void;
  isDrawn(): boolean;
  /** Restores the previous content; may be called more than once. */
  leave(): void;
}

/** Another screen, without a cursor and without line wrap: what the user had on the terminal comes back. */
const ENTER = ['?1049h', '?25l', '?7l'];
const LEAVE = ['?7h', '?25h', '?1049l'];
const USUAL_SIZE: ScreenSize = { columns: 80, rows: 24 };

/** Each drawing overwrites the previous one line by line and in one piece, so that nothing flickers. */
function liveTerminal({ stdout, sequence, signal }: TerminalPorts): LiveTerminal {
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
