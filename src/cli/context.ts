import { type Pen, withTimesFromNow } from '../base/index.ts';
import type { Io, Output } from './io.ts';
import { line, type Paint, paintFor } from './output/terminal.ts';

/** The process of a command, printers that know format, colour and width, and one clock. */
export interface Context extends Io {
  /** Prints results. */
  readonly out: Printer;
  /** Prints messages. */
  readonly err: Printer;
  /** The value of `-o`. */
  readonly format: string;
  /** `--no-color` gives false. */
  readonly color: boolean | undefined;
  /** The time that the command decides and dates by. */
  readonly clock: CommandClock;
}

export interface CommandClock {
  now(): Date;
  /** How requests wait before the next attempt; real time when absent. */
  sleep?(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Printer {
  readonly paint: Paint;
  write(text: string): void;
  /** One line, whatever the text contains. */
  line(text: string): void;
  /** A line that on a terminal says how far away its times are, as tables do. */
  dated(text: string): void;
  /** The style of a table: on a terminal it fits, and says how far away its times are; `-o wide` is never cut. */
  style(): { readonly width?: number; readonly cell?: (text: string) => string };
  /** The same for other texts. */
  pen(): Pen;
}

/** The flags of a command that decide how it prints. */
export interface PrintFlags {
  readonly output?: string;
  readonly color?: boolean;
}

export function contextOf(io: Io, { output: format = 'table', color }: PrintFlags = {}, clock?: CommandClock): Context {
  const time = clock ?? { now: io.now ?? (() => new Date()) };
  const printer = (to: Output): Printer => {
    const paint = paintFor(to, io.env, color);
    const style: Printer['style'] = () => {
      const { isTTY, columns } = to;
      if (!isTTY || columns === undefined || format === 'wide') return {};
      const now = time.now();
      return { width: columns, cell: (text) => withTimesFromNow(text, now) };
    };
    return {
      ...{ paint, style },
      write: (text) => to.write(text),
      line: (text) => to.write(line(text)),
      dated: (text) => to.write(line(to.isTTY ? withTimesFromNow(text, time.now()) : text)),
      pen: () => {
        const { cell = (text: string) => text, ...width } = style();
        return { paint, line: (text) => line(cell(text)), ...width };
      },
    };
  };
  const [out, err] = [printer(io.stdout), printer(io.stderr)];
  return { ...io, now: () => time.now(), clock: time, format, color, out, err };
}

/** The same context with other outputs. */
export function rewired(ctx: Context, io: Partial<Io>): Context {
  return contextOf(
    { ...ctx, ...io },
    { output: ctx.format, ...(ctx.color === undefined ? {} : { color: ctx.color }) },
    ctx.clock,
  );
}
