import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../test/support/virtual-clock.ts';
import { EchelonError, Secrets } from '../base/index.ts';
import { createLogger, type LoggerOptions } from './logs.ts';

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
