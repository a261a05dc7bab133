import { describe, expect, it } from 'vitest';
import { badImageFinder, crashLoop } from './bad-images.ts';

describe('a container that ends again and again', () => {
  it.each([
    { run: 0, age: 0, restarts: 1, state: 'waits' },
    { run: 0, age: 9, restarts: 1, state: 'waits' },
    { run: 0, age: 10, restarts: 2, state: 'waits' },
    { run: 0, age: 30, restarts: 3, state: 'waits' },
    { run: 30, age: 29, restarts: 0, state: 'runs' },
    { run: 30, age: 30, restarts: 1, state: 'runs' },
    { run: 30, age: 60, restarts: 1, state: 'waits' },
    { run: 30, age: 70, restarts: 2, state: 'runs' },
    { run: 30, age: 100, restarts: 2, state: 'waits' },
  ])('that runs $run s, after $age s: $restarts restarts, it $state', ({ run, age, restarts, state }) => {
    const loop = crashLoop(run, age);
    expect([loop.restarts, loop.running === undefined ? 'waits' : 'runs']).toEqual([restarts, state]);
  });

  it('goes on every 300 s, and no run begins before the one before has ended', () => {
    const day = 86_400;
    expect(crashLoop(0, 10 * day).restarts - crashLoop(0, 9 * day).restarts).toBe(day / 300);
    for (let age = 1; age < 4_000; age += 1) {
      const [before, now] = [crashLoop(30, age - 1), crashLoop(30, age)];
      expect([0, 1]).toContain(now.restarts - before.restarts);
      if (now.running !== undefined) {
        expect(now.running.startedAt).toBeLessThanOrEqual(age);
        expect(now.running.startedAt).toBeGreaterThanOrEqual(now.ended?.finishedAt ?? 0);
      }
    }
  });
});

describe('bad images', () => {
  const find = badImageFinder([
    { tag: 'bad', kind: 'crash' },
    { tag: '*-slow', kind: 'never-ready' },
    { tag: '*', kind: 'crash-later' },
  ]);
  it.each([
    { image: 'quay.io/x/img:bad', kind: 'crash' },
    { image: `localhost:5000/img:bad@sha256:${'0'.repeat(64)}`, kind: 'crash' },
    { image: 'img:v1-slow', kind: 'never-ready' },
    { image: 'img:v1', kind: 'crash-later' },
  ])('$image: $kind, by its tag; the first that matches decides', ({ image, kind }) => {
    expect(find(image)).toBe(kind);
  });

  it('are none unless some are declared', () => {
    expect(badImageFinder([])('img:bad')).toBeUndefined();
  });
});
