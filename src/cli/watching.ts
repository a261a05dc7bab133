import { setTimeout as sleepFor } from 'node:timers/promises';
import { defined } from '../base/index.ts';
import { instantOf } from '../gates/index.ts';
import { type WatchPorts, watch, watchOutput } from '../live/index.ts';
import { EXIT } from './exit-codes.ts';
import type { Io } from './io.ts';
import { paintFor } from './output/colour.ts';
import { type Format, isForTerminal } from './output/format.ts';
import { line, ownSequence } from './output/terminal.ts';

/** Durations are in seconds. */
export interface WatchFlags {
  readonly watch?: boolean;
  readonly interval?: number;
  readonly timeout?: number;
  readonly output: Format;
  readonly color?: boolean;
}

interface Watching {
  /** For what observes: it must not write into a screen that is being drawn. */
  readonly io: Io;
  /**
   * Observes once, or with `--watch` until nothing is waited for. To be finished with an exit code after the last observation
   * has been printed: says why, and gives another code, if something is still waited for.
   */
  until<Seen>(
    job: Pick<WatchPorts<Seen>, 'observe' | 'viewOf'>,
  ): Promise<{ readonly seen: Seen; finish(code: number): number }>;
}

/** On a terminal a table that is redrawn; elsewhere, and beside documents, a line on standard error for each change. */
export function watching(io: Io, flags: WatchFlags): Watching {
  const { stdout, stderr, env, signal } = io;
  const isLive = stdout.isTTY && env['TERM'] !== 'dumb' && isForTerminal(flags.output);
  const paint = paintFor(stdout, env, flags.color);
  const output = watchOutput({ stdout, stderr, signal, line, sequence: ownSequence, paint, isLive });
  const quiet: Io = {
    ...io,
    get progress() {
      return io.progress === true && !output.isDrawn();
    },
    stderr: {
      ...stderr,
      get isTTY() {
        return stderr.isTTY && !output.isDrawn();
      },
      write: output.note,
    },
  };
  return {
    io: flags.watch === true ? quiet : io,
    until: async ({ observe, viewOf }) => {
      if (flags.watch !== true) return { seen: await observe(), finish: (code) => code };
      const ports = {
        ...{ observe, viewOf, show: output.show, signal, elapsed: () => performance.now() },
        now: () => instantOf((io.now?.() ?? new Date()).getTime()),
        sleep: io.sleep ?? ((ms: number) => sleepFor(ms, undefined, { signal }).catch(() => undefined)),
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
