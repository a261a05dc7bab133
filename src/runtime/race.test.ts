import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../test/support/virtual-clock.ts';
import { linked, outcomeWithin } from './race.ts';

const clock = virtualClock(new Date(0));

describe('waiting for an outcome', () => {
  it('gives what was returned or thrown, and leaves no timer behind', async () => {
    expect(await outcomeWithin({ clock, ms: 10 }, async () => 5)).toEqual({ kind: 'value', value: 5 });
    const failing = outcomeWithin({ clock, ms: 10 }, () => Promise.reject('no'));
    expect(await failing).toEqual({ kind: 'thrown', thrown: 'no' });
    expect(clock.sleeping()).toBe(0);
  });

  it.each(['timeout', 'aborted'] as const)('ends with %s while the work hangs, and tells the work', async (kind) => {
    const stop = new AbortController();
    let told: AbortSignal | undefined;
    const waiting = outcomeWithin({ clock, ms: 10, signal: stop.signal }, (signal) => {
      told = signal;
      return new Promise(() => undefined);
    });
    if (kind === 'aborted') stop.abort('enough');
    else await clock.advance(10);
    expect(await waiting).toEqual({ kind });
    expect(told?.aborted).toBe(true);
    expect(clock.sleeping()).toBe(0);
  });

  it('does not begin when it is aborted already', async () => {
    let begun = false;
    const work = async (): Promise<void> => {
      begun = true;
    };
    expect(await outcomeWithin({ clock, ms: 10, signal: AbortSignal.abort() }, work)).toEqual({ kind: 'aborted' });
    expect(begun).toBe(false);
  });
});

describe('a linked controller', () => {
  it('follows the first of several signals', () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const { controller } = linked(one.signal, undefined, two.signal);
    expect(controller.signal.aborted).toBe(false);
    two.abort('two');
    one.abort('one');
    expect(controller.signal.reason).toBe('two');
  });

  it('follows the signal until it is unlinked', () => {
    const stop = new AbortController();
    const [follows, unlinked] = [linked(stop.signal), linked(stop.signal)];
    unlinked.unlink();
    stop.abort('enough');
    expect([follows.controller.signal.reason, unlinked.controller.signal.aborted]).toEqual(['enough', false]);
    expect(linked(stop.signal).controller.signal.reason).toBe('enough');
  });
});
