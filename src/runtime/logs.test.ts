import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { virtualClock } from '../../test/support/virtual-clock.ts';
import { EchelonError, Secrets } from '../base/index.ts';
import { createLogger, type LoggerOptions, openLogFile, plainFields, plainText } from './logs.ts';

/** Local time, so that the text is the same in every time zone. */
const NOW = new Date(2026, 0, 2, 3, 4, 5);

async function logging(options: Partial<LoggerOptions> = {}) {
  const written: string[] = [];
  const stdout = { write: (text: string) => void written.push(text) };
  const secrets = new Secrets();
  secrets.add('s3cr3t');
  const clock = virtualClock(NOW);
  const logger = await createLogger({ level: 'info', dryRun: false, stdout, secrets, clock, ...options });
  return { logger, secrets, text: () => written.join(''), parsed: () => written.map((line) => JSON.parse(line)) };
}

describe('JSON lines', () => {
  it('have level, time, message and fields', async () => {
    const { logger, parsed, text } = await logging();
    logger.info('shard converged', { shard: 'a', objects: 3 });
    logger.warn('slow');
    const time = NOW.toISOString();
    expect(parsed()).toEqual([
      { level: 'info', time, msg: 'shard converged', shard: 'a', objects: 3 },
      { level: 'warn', time, msg: 'slow' },
    ]);
    expect(text().split('\n')).toHaveLength(3);
  });

  it('say that it is a dry run, and keep fields that have the name of another', async () => {
    const { logger, parsed } = await logging({ dryRun: true });
    logger.info('m', { level: 9, msg: 'x', time: 'y', dryRun: 'z' });
    expect(parsed()).toEqual([
      {
        level: 'info',
        time: NOW.toISOString(),
        dryRun: true,
        msg: 'm',
        level_: 9,
        msg_: 'x',
        time_: 'y',
        dryRun_: 'z',
      },
    ]);
  });

  it('stay JSON when a secret is also a word of the line', async () => {
    const { logger, parsed, secrets } = await logging({ dryRun: true });
    for (const secret of ['true', 'info', 'dryRun']) secrets.add(secret);
    logger.info('the message', { done: true });
    expect(parsed()).toEqual([
      { level: '***', time: NOW.toISOString(), '***': '***', msg: 'the message', done: '***' },
    ]);
  });
});

describe('text lines', () => {
  it.each([
    { given: 'a message', message: 'done', fields: {}, line: '[2026-01-02 03:04:05] [INFO] - done\n' },
    {
      given: 'fields',
      message: 'm',
      fields: { a: 1, b: 'x y', c: '', d: 'k=v' },
      line: ' m a=1 b="x y" c="" d="k=v"\n',
    },
    { given: 'structures', message: 'm', fields: { a: { b: true, c: [1, 'x'] } }, line: ' m a.b=true a.c=[1,"x"]\n' },
    {
      given: 'control letters',
      message: 'a\nb\u001b[31m',
      fields: { c: '\u009b\r' },
      line: ' a\\nb\\u001b[31m c="\\u009b\\r"\n',
    },
  ])('with $given', async ({ message, fields, line }) => {
    const { logger, text } = await logging({ format: 'text' });
    logger.info(message, fields);
    expect(text().endsWith(line)).toBe(true);
    expect(text().split('\n')).toHaveLength(2);
  });

  it('name levels as the existing runtime does, and mark a dry run', async () => {
    const { logger, text } = await logging({ format: 'text', level: 'debug', dryRun: true });
    logger.debug('d');
    logger.warn('w');
    logger.error('e');
    expect(text()).toBe(
      ['DEBUG', 'WARNING', 'ERROR']
        .map((l) => `[2026-01-02 03:04:05] [${l}] [DRY-RUN] - ${l.at(0)?.toLowerCase()}\n`)
        .join(''),
    );
  });

  it('tell a foreseen fault in one line, and give the stack of any other below it', async () => {
    const { logger, text } = await logging({ format: 'text' });
    logger.error('pass failed', { error: new EchelonError({ code: 'C', message: 'no cluster', hint: 'log in' }) });
    expect(text()).toMatch(/- pass failed error.code=C error.message="no cluster" error.hint="log in"\n$/);
    logger.error('pass failed', { error: new TypeError('x is undefined') });
    expect(text()).toMatch(/error.message="x is undefined"\n {4}TypeError: x is undefined\n {4}at .*\n/);
  });
});

describe.each(['json', 'text'] as const)('a logger of %s', (format) => {
  it.each([
    ['debug', 'dbg inf wrn err'],
    ['info', 'inf wrn err'],
    ['warn', 'wrn err'],
    ['error', 'err'],
    ['fatal', ''],
  ] as const)('at level %s writes %j', async (level, seen) => {
    const { logger, text } = await logging({ format, level });
    logger.debug('dbg');
    logger.info('inf');
    logger.warn('wrn');
    logger.error('err');
    expect((text().match(/dbg|inf(?!o)|wrn|err(?!or)/g) ?? []).join(' ')).toBe(seen);
  });

  it('gives the fields of a child to all its events', async () => {
    const { logger, text } = await logging({ format });
    logger.child({ cluster: 'one' }).child({ namespace: 'two' }).info('m', { cluster: 'three' });
    expect(text()).toMatch(/cluster\W+three.*namespace\W+two/);
    expect(text()).not.toContain('one');
  });

  it('never prints a secret: in messages, fields, keys, stacks or children', async () => {
    const { logger, text } = await logging({ format });
    const error = new Error('401 for s3cr3t', { cause: new Error('Authorization: s3cr3t') });
    logger.child({ who: 's3cr3t' }).error('used s3cr3t', { error, s3cr3t: ['s3cr3t', { deep: { er: 'xs3cr3tx' } }] });
    expect(text()).toContain('***');
    expect(text()).not.toContain('s3cr3t');
  });

  it('knows secrets that were added later', async () => {
    const { logger, secrets, text } = await logging({ format });
    secrets.add('another');
    logger.info('x', { token: 'another' });
    expect(text()).not.toContain('another');
  });
});

it('a secret that only the line as a whole spells is hidden, on stdout and in the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'echelon-log-'));
  try {
    const file = join(folder, 'a.log');
    const { logger, secrets, text } = await logging({ format: 'text', file });
    secrets.add('key=value');
    logger.info('m', { key: 'value' });
    logger.close();
    expect([text(), readFileSync(file, 'utf8')]).toEqual(['[2026-01-02 03:04:05] [INFO] - m ***\n', 'm ***\n']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('the log file', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'echelon-log-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each([
    { prefixLevel: false, lines: 'applied object=x\ntrouble hint="do y"\n' },
    { prefixLevel: true, lines: '[INFO] applied object=x\n[WARNING] trouble hint="do y"\n' },
  ])('has messages only, with prefixLevel $prefixLevel', async ({ prefixLevel, lines }) => {
    const folder = mkdtempSync(join(tmpdir(), 'echelon-log-'));
    try {
      const file = join(folder, 'integration.log');
      const { logger } = await logging({ file, prefixLevel, dryRun: true });
      logger.debug('too low');
      logger.info('applied', { object: 'x' });
      logger.warn('trouble', { hint: 'do y' });
      logger.close();
      expect(readFileSync(file, 'utf8')).toBe(lines);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.skipIf(!existsSync('/dev/full'))('that cannot be written is told on stdout, and the work goes on', async () => {
    const { logger, parsed } = await logging({ file: '/dev/full' });
    logger.info('one');
    logger.info('two');
    logger.close();
    expect(parsed().map(({ msg }) => msg)).toEqual(['one', 'cannot write log file', 'two']);
  });
});

const secrets = new Secrets();
secrets.add('s3cr3t');
secrets.add('12345678');

const circular: Record<string, unknown> = { name: 'ring' };
circular['self'] = circular;

describe('fields of a log', () => {
  it.each([
    { given: 'scalars', fields: { a: 'x', b: 1, c: true, d: null }, plain: { a: 'x', b: 1, c: true, d: null } },
    { given: 'nothing', fields: { a: undefined, b: () => 1, c: Symbol('x') }, plain: {} },
    { given: 'numbers that JSON lacks', fields: { a: Number.NaN, b: 9n }, plain: { a: 'NaN', b: '9' } },
    { given: 'a date', fields: { a: new Date(0) }, plain: { a: '1970-01-01T00:00:00.000Z' } },
    { given: 'no date', fields: { a: new Date('x') }, plain: { a: 'Invalid Date' } },
    { given: 'a map and a set', fields: { m: new Map([[1, 2]]), s: new Set(['a']) }, plain: { m: { 1: 2 }, s: ['a'] } },
    { given: 'a secret', fields: { a: 'Bearer s3cr3t' }, plain: { a: 'Bearer ***' } },
    { given: 'a nested secret', fields: { a: { b: [{ c: 's3cr3t' }] } }, plain: { a: { b: [{ c: '***' }] } } },
    { given: 'a secret as a key', fields: { s3cr3t: 1 }, plain: { '***': 1 } },
    { given: 'a secret as a number', fields: { pin: 12345678 }, plain: { pin: '***' } },
  ])('with $given are plain data', ({ fields, plain }) => {
    expect(JSON.stringify(plainFields(fields, secrets))).toBe(JSON.stringify(plain));
  });

  it('tell a foreseen fault by its code and hint', () => {
    const cause = new EchelonError({ code: 'INNER', message: 'token s3cr3t refused', hint: 'renew s3cr3t' });
    const error = new EchelonError({ code: 'OUTER', message: 'no', hint: 'do', cause });
    expect(plainFields({ error }, secrets)).toEqual({
      error: {
        ...{ code: 'OUTER', message: 'no', hint: 'do' },
        cause: { code: 'INNER', message: 'token *** refused', hint: 'renew ***' },
      },
    });
  });

  it('tell an unforeseen fault by where it came from', () => {
    const shown = plainFields({ error: new TypeError('bad s3cr3t') }, secrets)['error'] as Record<string, string>;
    expect([shown['name'], shown['message']]).toEqual(['TypeError', 'bad ***']);
    expect(shown['stack']).toMatch(/^TypeError: bad \*\*\*\n +at /);
  });

  it('show the parts of an aggregate', () => {
    const shown = plainFields({ error: new AggregateError([new Error('one'), 'two'], 'both') }, secrets);
    expect(shown).toMatchObject({ error: { message: 'both', errors: [{ message: 'one' }, 'two'] } });
  });

  it('are cut in depth and width, but never through a secret', () => {
    expect(JSON.stringify(plainFields({ circular }, secrets))).toContain('"self":"…"');
    const wide = plainFields({ list: Array.from({ length: 1000 }, (_, n) => n) }, secrets)['list'] as unknown[];
    expect([wide.length, wide.at(-1)]).toEqual([500, '… 501 more']);
    const keys = plainFields(Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`k${n}`, n])), secrets);
    expect([Object.keys(keys).length, keys['…']]).toEqual([501, '100 more']);
    const cut = plainText(`${'x'.repeat(8 * 1024 - 3)}s3cr3t${'y'.repeat(100)}`, secrets);
    expect(cut).toBe(`${'x'.repeat(8 * 1024 - 3)}***… (8292 characters)`);
  });
});

let folder = '';
describe('the log file', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'echelon-log-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is appended to, also by the next process', () => {
    const path = join(folder, 'a.log');
    for (const line of ['one\n', 'two\n']) {
      const file = openLogFile(path);
      expect(file.write(line)).toBeUndefined();
      file.close();
    }
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  });

  it('starts anew before it outgrows its limit', () => {
    const path = join(folder, 'a.log');
    const file = openLogFile(path, 10);
    for (const line of ['12345\n', '123\n', 'é\n', 'x\n']) file.write(line);
    file.close();
    expect(readFileSync(path, 'utf8')).toBe('é\nx\n');
  });

  it.skipIf(!existsSync('/dev/full'))('says once what is wrong when it cannot be written', () => {
    const file = openLogFile('/dev/full');
    expect([file.write('x\n'), file.write('y\n')]).toEqual([expect.stringContaining('/dev/full: ENOSPC'), undefined]);
    file.close();
  });

  it('takes nothing after it was closed', () => {
    const path = join(folder, 'a.log');
    const file = openLogFile(path);
    file.close();
    file.close();
    file.write('late\n');
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it('that cannot be opened is an error that says what to do', () => {
    expect(() => openLogFile(join(folder, 'no/such/a.log'))).toThrow(
      expect.objectContaining({
        code: 'LOG_FILE_UNWRITABLE',
        message: expect.stringContaining('no/such/a.log'),
        hint: expect.stringContaining('LOG_FILE'),
      }),
    );
  });
});
