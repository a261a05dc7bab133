import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { neverAnswer, plain, startLocalHttp } from '../../test/support/local-http.ts';
import { holdsAsync } from '../../test/support/property.ts';
import { defineIntegration, type IntegrationDefinition } from './definition.ts';
import { runIntegration } from './run.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'echelon-integration-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Labels = Readonly<Record<string, string>>;
type Definition = IntegrationDefinition<string, string, string>;

/** A world of texts by key, and an integration that makes it as declared. */
function world(declared: Labels, existing: Labels = {}, more: Partial<Definition> = {}) {
  const state = new Map(Object.entries(existing));
  const taken: string[] = [];
  const diffed: string[] = [];
  const integration = defineIntegration<string, string, string>({
    name: 'texts',
    desired: async () => new Map(Object.entries(declared)),
    observe: async () => new Map(state),
    diff: ({ key, observed, desired }) => {
      diffed.push(key);
      if (observed === desired) return [];
      return desired === undefined ? ['delete'] : [`set ${desired}`];
    },
    act: async ({ key, action }) => {
      taken.push(`${key}: ${action}`);
      if (action === 'delete') state.delete(key);
      else state.set(key, action.slice('set '.length));
    },
    ...more,
  });
  return { integration, state, taken, diffed };
}

async function run(
  integration: ReturnType<typeof defineIntegration>,
  env: Record<string, string> = {},
  signal: AbortSignal = new AbortController().signal,
) {
  const written = { stdout: '', stderr: '' };
  const writer = (to: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      written[to] += text;
    },
  });
  const host = {
    env: { RUN_ONCE: '1', ...env },
    stdout: writer('stdout'),
    stderr: writer('stderr'),
    cwd: folder,
    signal,
  };
  const code = await runIntegration(integration, { host, metricsPort: 0, metricsHost: '127.0.0.1' });
  const events = written.stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  return { code, ...written, events: events.map(({ level, msg, key }) => [level, msg, key].filter(Boolean).join(' ')) };
}

describe('a pass', () => {
  it('does what the declaration needs, key by key in their order, and nothing when it is converged', async () => {
    const { integration, state, taken } = world({ b: '2', a: '1' }, { b: 'x', c: '3' });
    expect((await run(integration)).code).toBe(0);
    expect(taken).toEqual(['a: set 1', 'b: set 2', 'c: delete']);
    expect(Object.fromEntries(state)).toEqual({ a: '1', b: '2' });
    await run(integration);
    expect(taken).toHaveLength(3);
  });

  it('acts on all other keys when one fails, and then fails', async () => {
    const { integration, taken, state } = world(
      { a: '1', b: '2', c: '3' },
      {},
      {
        act: async ({ key }) => {
          if (key === 'b') throw new Error('refused');
          state.set(key, 'done');
        },
      },
    );
    const { code, events } = await run(integration);
    expect([code, [...state.keys()], taken]).toEqual([1, ['a', 'c'], []]);
    expect(events).toContain('error action failed b');
  });

  it('takes the actions of one key in order, and none after one that failed', async () => {
    const done: string[] = [];
    const { integration } = world(
      { a: '1' },
      {},
      {
        diff: () => ['one', 'two', 'three'],
        act: async ({ action }) => {
          done.push(action);
          if (action === 'two') throw new Error('refused');
        },
      },
    );
    expect([(await run(integration)).code, done]).toEqual([1, ['one', 'two']]);
  });

  it.each(['desired', 'observe'] as const)('takes no action when %s fails', async (part) => {
    const { integration, taken } = world({ a: '1' }, {}, { [part]: () => Promise.reject(new Error('no answer')) });
    expect([(await run(integration)).code, taken]).toEqual([1, []]);
  });

  it('takes no further action after SIGTERM', async () => {
    const stop = new AbortController();
    const done: string[] = [];
    const { integration } = world(
      { a: '1', b: '2' },
      {},
      {
        act: async ({ key }) => {
          done.push(key);
          stop.abort(new Error('SIGTERM'));
        },
      },
    );
    await run(integration, {}, stop.signal);
    expect(done).toEqual(['a']);
  });
});

describe('shards', () => {
  it('S1: every key is observed, compared and acted on by exactly one shard, by either membership', async () => {
    const keys = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 20 }), { maxLength: 8 });
    const membership = fc.constantFrom('md5', 'rendezvous');
    await holdsAsync(
      fc.asyncProperty(keys, fc.integer({ min: 1, max: 4 }), membership, async (all, shards, SHARD_MEMBERSHIP) => {
        const declared = Object.fromEntries(all.map((key) => [`key ${key}`, '1']));
        const { integration, taken } = world(declared, { stray: 'x' }, {});
        for (let id = 0; id < shards; id += 1)
          await run(integration, { SHARDS: String(shards), SHARD_ID: String(id), SHARD_MEMBERSHIP });
        expect(taken.toSorted()).toEqual(
          [...Object.keys(declared).map((key) => `${key}: set 1`), 'stray: delete'].toSorted(),
        );
      }),
      { numRuns: 8 },
    );
  });
});

describe('a dry run', () => {
  it('shows every action, calls no act, and remembers nothing', async () => {
    const { integration, taken, state } = world({ a: '1' }, { c: '3' }, { version: '1' });
    const env = { DRY_RUN: '--dry-run', ECHELON_STATE: join(folder, 'state') };
    const { code, events } = await run(integration, env);
    expect([code, taken, Object.fromEntries(state), readdirSync(folder)]).toEqual([0, [], { c: '3' }, []]);
    expect(events.filter((event) => event.includes('dry run'))).toEqual([
      'info action would be applied (dry run) a',
      'info action would be applied (dry run) c',
    ]);
  });

  it('has no way to act: neither the integration nor a context leads to it', async () => {
    const seen: object[] = [];
    const { integration } = world(
      { a: '1' },
      {},
      {
        observe: async (context) => {
          seen.push(context);
          return new Map();
        },
        act: async () => expect.unreachable('act was called'),
      },
    );
    await run(integration, { DRY_RUN: '--dry-run' });
    expect(Object.keys(integration)).toEqual(['name']);
    const [context] = seen as [Record<string, object>];
    expect(Object.keys(context['state'] ?? {})).toEqual(['read']);
    expect(Object.keys(context['kube'] ?? {})).toEqual(['get']);
    expect('act' in context).toBe(false);
  });

  it.each([{}, { DRY_RUN: '--dry-run' }])(
    'or not (%j), a request of observe that would write is not sent',
    async (env) => {
      const server = await startLocalHttp(plain(200, '{}'));
      const { integration } = world(
        {},
        {},
        {
          observe: async ({ http }) => {
            await http.json({ url: server.url, method: 'DELETE' });
            return new Map();
          },
        },
      );
      const { code, stdout } = await run(integration, env);
      await server.close();
      expect([code, server.seen]).toEqual([1, []]);
      expect(stdout).toContain('READ_ONLY');
    },
  );
});

describe('an early exit', () => {
  const known = () => ({ ECHELON_STATE: join(folder, 'state') });

  it('skips the comparison of inputs for which nothing was to be done, also after a restart', async () => {
    const { integration, diffed } = world({ a: '1' }, { a: '1' }, { version: '1' });
    await run(integration, known());
    expect(diffed).toEqual(['a']);
    await run(integration, known());
    expect(diffed).toEqual(['a']);
  });

  it('is not made after a pass that acted: what drifts back is put right again', async () => {
    const { integration, state, taken } = world({ a: '1' }, { a: 'x' }, { version: '1' });
    await run(integration, known());
    state.set('a', 'x');
    await run(integration, known());
    expect(taken).toEqual(['a: set 1', 'a: set 1']);
  });

  it.each([
    { given: 'another version', first: { version: '1' }, second: { version: '2' }, env: {} },
    { given: 'no version', first: {}, second: {}, env: {} },
    { given: 'another shard', first: { version: '1' }, second: { version: '1' }, env: { SHARD_KEY: 'east' } },
    {
      given: 'other arguments',
      first: { version: '1' },
      second: { version: '1' },
      env: { INTEGRATION_EXTRA_ARGS: '-x' },
    },
  ])('is not made with $given', async ({ first, second, env }) => {
    await run(world({ a: '1' }, { a: '1' }, first).integration, known());
    const again = world({ a: '1' }, { a: '1' }, second);
    await run(again.integration, { ...known(), ...env });
    expect(again.diffed).toEqual(['a']);
  });

  it('that cannot be remembered costs only the comparison', async () => {
    const { integration, diffed } = world({ a: '1' }, { a: '1' }, { version: '1' });
    writeFileSync(join(folder, 'file'), '');
    const env = { ECHELON_STATE: join(folder, 'file', 'state') };
    expect((await run(integration, env)).code).toBe(0);
    expect((await run(integration, env)).code).toBe(0);
    expect(diffed).toEqual(['a', 'a']);
  });
});

describe('state', () => {
  it('is read by all parts, written by act, and of this integration alone', async () => {
    const counting = (name: string) =>
      defineIntegration<number, number, number>({
        name,
        desired: async () => new Map([['count', 1]]),
        observe: async ({ state }) => new Map([['count', Number((await state.read('n'))?.value ?? 0)]]),
        diff: ({ observed = 0 }) => [observed + 1],
        act: async ({ action }, { state }) => {
          await state.write('n', action, (await state.read('n'))?.version ?? 'absent');
        },
      });
    const env = { ECHELON_STATE: join(folder, 'state') };
    const seen: unknown[] = [];
    for (const name of ['one', 'one', 'two']) await run(counting(name), env);
    for (const name of ['one', 'two']) {
      const reader = defineIntegration<0, 0, 0>({
        name,
        desired: async ({ state }) => {
          seen.push((await state.read('n'))?.value);
          return new Map();
        },
        observe: async () => new Map(),
        diff: () => [],
        act: async () => undefined,
      });
      await run(reader, env);
    }
    expect(seen).toEqual([2, 1]);
  });
});

describe('secrets', () => {
  it('of the environment and those named by the integration are in no log', async () => {
    const { integration } = world(
      { a: '1' },
      {},
      {
        desired: async ({ secret, logger, env }) => {
          secret('s3cr3t-value');
          logger.info('read', { token: 's3cr3t-value', env: env['API_TOKEN'] });
          return new Map([['a', 's3cr3t-value']]);
        },
      },
    );
    const { stdout } = await run(integration, { API_TOKEN: 'hunter2-hunter2' });
    expect(stdout).toContain('***');
    expect(stdout).not.toMatch(/s3cr3t|hunter2/);
  });
});

describe('an invalid environment or definition', () => {
  it('is an error with a hint, and exit code 1', async () => {
    const { integration, taken } = world({ a: '1' });
    const { code, stderr } = await run(integration, { SHARDS: '2', SHARD_ID: '2' });
    expect([code, taken]).toEqual([1, []]);
    expect(stderr).toMatch(/^error: invalid environment variable SHARD_ID.*\n code: POD_CONTRACT_INVALID\n hint: /);
  });

  it.each([
    { given: 'a name with capitals', more: { name: 'Texts' } },
    { given: 'no name', more: { name: '' } },
    { given: 'no concurrency', more: { concurrency: 0 } },
  ])('is refused: $given', ({ more }) => {
    expect(() => world({}, {}, more)).toThrow('cannot be run');
  });

  it('is refused: what was not defined', async () => {
    expect(await run({ name: 'texts' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('INTEGRATION_INVALID'),
    });
  });
});

it('a pass that takes too long is stopped, with its requests, and has failed', async () => {
  const server = await startLocalHttp(neverAnswer);
  const { integration } = world(
    {},
    {},
    {
      observe: async ({ http }) => {
        await http.text({ url: server.url });
        return new Map();
      },
    },
  );
  const { code } = await run(integration, { RUN_TIMEOUT_SECS: '0.2' });
  await server.close();
  expect(code).toBe(124);
});
