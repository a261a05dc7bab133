import { beforeEach, describe, expect, it } from 'vitest';
import { areTrackedAsBefore } from './tracked-before.ts';

const TRACKED = 'data/a.yml\0data/b.yml\0';

let kept: Map<string, Buffer>;
let made: number;

beforeEach(() => {
  kept = new Map();
  made = 0;
});

const memory = (code = 'code') => ({
  ...{
    code,
    store: {
      getBytes: (key: string) => kept.get(key),
      setBytes: (key: string, bytes: Buffer) => void kept.set(key, bytes),
    },
  },
});

const names = (...all: readonly string[]) => ({
  print: () => all.join('/'),
  all: () => {
    made += 1;
    return all;
  },
});

describe('that names are tracked', () => {
  it('is remembered, so that none is needed again', () => {
    const ask = () => areTrackedAsBefore(names('data/a.yml'), TRACKED, 'key', memory());
    expect([ask(), ask(), made]).toEqual([true, true, 1]);
  });

  it.each([
    { given: 'another name', all: ['data/c.yml'], tracked: TRACKED },
    { given: 'a name more', all: ['data/a.yml', 'data/c.yml'], tracked: TRACKED },
    { given: 'a tracked name less', all: ['data/a.yml'], tracked: 'data/b.yml\0' },
  ])('is not believed with $given', ({ all, tracked }) => {
    areTrackedAsBefore(names('data/a.yml'), TRACKED, 'key', memory());
    expect(areTrackedAsBefore(names(...all), tracked, 'key', memory())).toBe(false);
  });

  it('is found out again by other code, without a memory, and when what was kept is torn', () => {
    const ask = (given?: ReturnType<typeof memory>) => areTrackedAsBefore(names('data/a.yml'), TRACKED, 'key', given);
    ask(memory());
    ask(memory('other'));
    ask();
    kept.set('key', Buffer.alloc(0));
    expect([ask(memory()), made]).toEqual([true, 4]);
  });

  it('is not remembered of names that are not', () => {
    const ask = () => areTrackedAsBefore(names('data/c.yml'), TRACKED, 'key', memory());
    expect([ask(), ask(), made, kept.size]).toEqual([false, false, 2, 0]);
  });

  it('is not so where some names are not known', () => {
    expect(areTrackedAsBefore(undefined, TRACKED, 'key', memory())).toBe(false);
  });
});
