import { describe, expect, it } from 'vitest';
import { instantOf } from '../gates/index.ts';
import type { WatchState } from '../watch/index.ts';
import { watchOutput } from './watch.ts';

const STATE: WatchState = {
  view: {
    awaited: { what: '1 shard', causes: [] },
    table: { titles: ['NAME', 'WHY'], rows: [['a', '-']] },
    rows: [{ key: 'a', name: 'a', isAwaited: true }],
    notes: [],
  },
  ...{ observedAt: instantOf(0), changed: new Set(), now: instantOf(0), interval: 2_000 },
};
const ENTER = '<?1049h><?25l><?7l>';
const LEAVE = '<?7h><?25h><?1049l>';

function output(isLive = true) {
  const written = { stdout: '', stderr: '' };
  const stop = new AbortController();
  const listeners = new Set<() => void>();
  const watched = watchOutput({
    stdout: {
      ...{ columns: 40, rows: 10 },
      write: (text) => {
        written.stdout += text;
      },
      on: (_, listener) => listeners.add(listener),
      off: (_, listener) => listeners.delete(listener),
    },
    stderr: {
      write: (text) => {
        written.stderr += text;
      },
    },
    ...{ signal: stop.signal, sequence: (code) => `<${code}>`, line: (text) => `${text}\n`, paint: (_, text) => text },
    isLive,
  });
  return { watched, written, stop, listeners };
}

describe('what a watch writes', () => {
  it('to a terminal is left at the first signal, before anything else ends', () => {
    const { watched, written, stop, listeners } = output();
    watched.show(STATE, []);
    expect(written.stdout.startsWith(`${ENTER}<H><K>waiting for 1 shard\n`)).toBe(true);
    expect(listeners.size).toBe(1);
    stop.abort();
    expect(written.stdout.endsWith(LEAVE)).toBe(true);
    expect(listeners.size).toBe(0);
    const { stdout } = written;
    watched.show(STATE, []);
    watched.leave();
    expect(written.stdout).toBe(stdout);
  });

  it('is no screen at all when nothing is waited for', () => {
    const { watched, written } = output();
    const { awaited: _, ...view } = STATE.view;
    watched.show({ ...STATE, view }, []);
    watched.leave();
    expect(written).toEqual({ stdout: '', stderr: '' });
  });

  it('keeps notes out of the screen until it is left, and says each once', () => {
    const { watched, written } = output();
    watched.note('early\n');
    watched.note('progress');
    watched.show(STATE, []);
    watched.note('early\n');
    watched.note('late\n');
    watched.note('late\n');
    watched.note('progress');
    expect(written.stderr).toBe('early\nprogress');
    watched.leave();
    expect(written.stderr).toBe('early\nprogresslate\n');
  });

  it('elsewhere is lines, and never a control sequence', () => {
    const { watched, written } = output(false);
    watched.show(STATE, []);
    watched.show({ ...STATE, failure: 'away' }, []);
    watched.show(STATE, [{ key: 'a', text: 'a: changed' }]);
    watched.leave();
    watched.end({ view: STATE.view, end: 'interrupted' });
    expect(written).toEqual({
      stdout: '',
      stderr: 'waiting for 1 shard\nerror: away\nobserved again\na: changed\ninterrupted, still waiting for 1 shard\n',
    });
  });
});
