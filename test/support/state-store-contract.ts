import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StateStore } from '../../src/base/index.ts';
import { REPO } from './shared.ts';
import { addOne, numberIn, openStore, type StoreSpec, type WriterJob } from './state-writer.ts';

const bytes = (text: string): Buffer => Buffer.from(text);
const textOf = (stored: Awaited<ReturnType<StateStore['read']>>): string | undefined =>
  stored === undefined ? undefined : Buffer.from(stored.value).toString();

type Place = () => StoreSpec | Promise<StoreSpec>;

/** What every store promises. `place` gives an empty one for each test, `unreadable` one that nobody can read. */
export function stateStoreContract(place: Place, unreadable: Place): void {
  let spec: StoreSpec;
  let store: StateStore;
  const running = new Set<ChildProcess>();

  beforeEach(async () => {
    spec = await place();
    store = openStore(spec);
  });
  afterEach(() => {
    for (const child of running) child.kill('SIGKILL');
  });

  /** Another process that works with the same store. */
  function writer(job: WriterJob): ChildProcess {
    const env = { ...process.env, STATE_STORE: JSON.stringify(spec), STATE_JOB: JSON.stringify(job) };
    const script = join(REPO, 'test/support/state-writer.ts');
    const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    running.add(child);
    child.once('exit', () => running.delete(child));
    return child;
  }

  /** Writes a value that must not meet another writer, and gives its version. */
  async function put(key: string, value: string, expected: string | 'absent' = 'absent'): Promise<string> {
    const written = await store.write(key, bytes(value), expected);
    if (written === 'lost-race') throw new Error(`${key} lost a race`);
    return written.version;
  }

  describe('a value', () => {
    it('is absent before it is written', async () => {
      expect(await store.read('a/b')).toBeUndefined();
    });

    it('is read as it was written, with the version that the write gave', async () => {
      const version = await put('a/b', 'first');
      const stored = await openStore(spec).read('a/b');
      expect({ text: textOf(stored), version: stored?.version }).toEqual({ text: 'first', version });
    });

    it('is replaced by whoever knows its version, and then has another', async () => {
      const first = await put('a/b', 'first');
      const second = await put('a/b', 'second', first);
      expect(second).not.toBe(first);
      expect(textOf(await store.read('a/b'))).toBe('second');
    });

    it.each([
      { given: 'nothing', value: new Uint8Array() },
      { given: 'what is no text', value: Uint8Array.from({ length: 256 }, (_, index) => index) },
      { given: 'half of JSON', value: bytes('{"versions": {"4.16.1": ') },
      { given: 'a megabyte', value: Buffer.alloc(1024 * 1024, 'x') },
    ])('may be $given: it is not looked into', async ({ value }) => {
      await store.write('k', value, 'absent');
      expect(Buffer.from((await store.read('k'))?.value ?? [])).toEqual(Buffer.from(value));
    });

    it('is its own, whatever its neighbours are called', async () => {
      const keys = ['a/b', 'a/bc', 'a/b-c', 'a/b c', 'a/b+c', 'a/b%20c', 'a/ü', 'a/b..c', 'b'];
      for (const key of keys) await put(key, `value of ${key}`);
      for (const key of keys) expect(textOf(await store.read(key))).toBe(`value of ${key}`);
    });
  });

  describe('a write', () => {
    it.each([
      { given: 'makes what is there', expected: 'absent' as const },
      { given: 'replaces a version that never was', expected: '"d41d8cd98f00b204e9800998ecf8427e"' },
    ])('that $given loses, and changes nothing', async ({ expected }) => {
      const version = await put('k', 'old');
      expect(await store.write('k', bytes('new'), expected)).toBe('lost-race');
      expect(await store.read('k')).toMatchObject({ version });
    });

    it('that replaces an older version loses, and changes nothing', async () => {
      const first = await put('k', 'first');
      await put('k', 'second', first);
      expect(await store.write('k', bytes('third'), first)).toBe('lost-race');
      expect(textOf(await store.read('k'))).toBe('second');
    });

    it('that replaces what is not there loses, and makes nothing', async () => {
      const version = await put('other', 'x');
      expect(await store.write('k', bytes('new'), version)).toBe('lost-race');
      expect(await store.read('k')).toBeUndefined();
    });

    it.each(['absent', 'replaced'])(
      'wins against all others at the same moment: exactly one when the value is %s',
      async (how) => {
        const expected = how === 'absent' ? 'absent' : await put('k', 'old');
        const writers = Array.from({ length: 8 }, (_, index) => ({ store: openStore(spec), value: `writer ${index}` }));
        const results = await Promise.all(writers.map((each) => each.store.write('k', bytes(each.value), expected)));
        const winners = writers.filter((_, index) => results[index] !== 'lost-race').map(({ value }) => value);
        expect(winners).toHaveLength(1);
        expect(textOf(await store.read('k'))).toBe(winners[0]);
      },
    );

    it('of a writer that reads again after each lost race is never lost', async () => {
      const stores = Array.from({ length: 4 }, () => openStore(spec));
      const each = async (one: StateStore): Promise<void> => {
        for (let time = 0; time < 5; time += 1) await addOne(one, 'counter');
      };
      await Promise.all(stores.map(each));
      expect(textOf(await store.read('counter'))).toBe('20');
    });

    it('of another process is never lost either', async () => {
      const children = [1, 2, 3].map(() => writer({ job: 'count', key: 'counter', times: 8 }));
      const exits = await Promise.all(children.map((child) => once(child, 'exit')));
      expect(exits).toEqual(children.map(() => [0, null]));
      expect(textOf(await store.read('counter'))).toBe('24');
    });
  });

  describe('a store that cannot be read', () => {
    it('is an error, never empty', async () => {
      const closed = openStore(await unreadable());
      const acts = [() => closed.read('k'), () => closed.write('k', bytes('x'), 'absent')];
      for (const act of acts) await expect(act()).rejects.toMatchObject({ code: expect.stringMatching(/^[A-Z_]+$/) });
    });
  });

  describe('a writer that is killed', () => {
    it.each([1, 2, 3])('after write %i leaves that value or the next, whole, and nobody waits for it', async (last) => {
      const child = writer({ job: 'write-for-ever', key: 'k' });
      for await (const line of createInterface({ input: child.stdout! })) if (Number(line) >= last) break;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      expect(await exited).toEqual([null, 'SIGKILL']);

      const left = await store.read('k');
      const number = numberIn(left?.value ?? new Uint8Array());
      expect(number).toBeGreaterThanOrEqual(last);
      await replaceWith('after');
      expect(textOf(await store.read('k'))).toBe('after');
    });

    /** The last write of the killed one may still be under way at a server. */
    async function replaceWith(value: string): Promise<void> {
      for (;;) {
        const current = await store.read('k');
        if ((await store.write('k', bytes(value), current?.version ?? 'absent')) !== 'lost-race') return;
      }
    }
  });

  describe('keys', () => {
    it.each([
      ...['', '/', '/a', 'a/', 'a//b', '.', '..', '../a', 'a/..', 'a/../b', 'a/./b', '.hidden', 'a/.hidden', 'a\\b'],
      ...['a\0b', 'a\nb', 'x'.repeat(256), `${'x/'.repeat(500)}x`, '\ud800'],
    ])('such as %j are refused', async (key) => {
      for (const act of [() => store.read(key), () => store.write(key, bytes('x'), 'absent')]) {
        await expect(act()).rejects.toMatchObject({ code: 'STATE_KEY_INVALID' });
      }
    });
  });
}
