import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/support/property.ts';
import { redactShapes, Secrets, secretValues } from './secrets.ts';
import { markdownPlain } from './text/markdown.ts';
import { shortened } from './text/text.ts';

function knowing(...values: readonly string[]): Secrets {
  const secrets = new Secrets();
  for (const value of values) secrets.add(value);
  return secrets;
}

const PEM = '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\nw0BAQEFAASCBKcwggSj\n-----END KEY-----\n';

describe('redaction', () => {
  it.each([
    { known: [], text: 'nothing is known', shown: 'nothing is known' },
    { known: ['s3cr3t'], text: 'a s3cr3t, a s3cr3t', shown: 'a ***, a ***' },
    { known: ['s3cr3t'], text: 's3cr3ts3cr3t', shown: '***' },
    { known: [' s3cr3t\n'], text: 'x=s3cr3t', shown: 'x=***' },
    { known: ['abcd', 'abcdefgh'], text: 'abcdefgh abcd', shown: '*** ***' },
    { known: ['abcdef', 'defghi'], text: '-abcdefghi-', shown: '-***-' },
    { known: ['aabaa'], text: 'aabaabaa', shown: '***' },
    { known: ['.*x.'], text: 'abxc .*x.', shown: 'abxc ***' },
    { known: ['a"b\nc'], text: JSON.stringify({ k: 'a"b\nc' }), shown: '{"k":"***"}' },
    { known: ['a"b\nc'], text: JSON.stringify(JSON.stringify('a"b\nc')), shown: '"\\"***\\""' },
    { known: ['p@ss/word'], text: 'https://u:p%40ss%2Fword@host', shown: 'https://u:***@host' },
    { known: ['a<b&c"d'], text: '<p title="a&lt;b&amp;c&quot;d">', shown: '<p title="***">' },
    { known: ['a<b&c"d'], text: '{"k":"a\\u003cb\\u0026c\\"d"}', shown: '{"k":"***"}' },
    { known: ['ghp_a|b@c'], text: `| ${markdownPlain('a ghp_a|b@c')} |`, shown: '| a *** |' },
    { known: ["p@ss w'rd"], text: 'secret=p%40ss+w%27rd&x', shown: 'secret=***&x' },
    { known: ['p@ss/word'], text: 'u:p%40ss%2fword@host', shown: 'u:***@host' },
    { known: ['Bearer abcdefgh'], text: 'token abcdefgh', shown: 'token ***' },
    { known: [`Basic ${Buffer.from('me:s3cr3t:x').toString('base64')}`], text: 'me:s3cr3t:x', shown: 'me:***' },
    { known: ['abcdefghijkl'], text: 'abcdefgh… and …efghijkl', shown: '***… and …***' },
    { known: ['abcdefghijkl'], text: 'abcdefg… abcdefgh …fghijkl', shown: 'abcdefg… abcdefgh …fghijkl' },
    { known: ['abcdefghijkl'], text: 'cut at abcdefghi...', shown: 'cut at ***...' },
    { known: ['\ud800abc'], text: 'x \ud800abc', shown: 'x ***' },
  ])('of $text, knowing $known, shows $shown', ({ known, text, shown }) => {
    expect(knowing(...known).redact(text)).toBe(shown);
  });

  it.each(['', 'me:', 'user:', 'admin:', 'x:x:x:'])('finds a secret in base64 behind %j', (before) => {
    const secrets = knowing('correct horse battery');
    for (const after of ['', '!', '??', '>>>']) {
      for (const encoding of ['base64', 'base64url'] as const) {
        const shown = secrets.redact(Buffer.from(`${before}correct horse battery${after}`).toString(encoding));
        expect(Buffer.from(shown.split('***')[0] ?? '', encoding).toString()).not.toContain('corr');
        expect(shown.length).toBeLessThan(20);
      }
    }
  });

  it.each(['', '   ', 'abc', undefined])('does not take %j, which is too short', (value) => {
    const secrets = new Secrets();
    expect(secrets.add(value)).toBe(false);
    expect(secrets.redact('   abc undefined')).toBe('   abc undefined');
  });

  it('hides the lines of a key that stand alone, but not its frame when that is short', () => {
    const shown = knowing(PEM).redact('stack:\n    MIIEvQIBADANBgkqhkiG\n    w0BAQEFAASCBKcwggSj');
    expect(shown).toBe('stack:\n    ***\n    ***');
  });

  it('leaves no secret in any text', () => {
    const secret = fc
      .string({ minLength: 4, maxLength: 12 })
      .filter((value) => value.trim().length >= 4 && !/\*/.test(value));
    holds(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 5 }), fc.array(fc.string()), (values, others) => {
        const secrets = knowing(...values);
        const shown = secrets.redact(others.flatMap((other, at) => [other, values[at % values.length]]).join(''));
        for (const value of values) expect(shown).not.toContain(value.trim());
      }),
    );
  });
});

describe('a quotation', () => {
  const KNOWN = ['abcdefghijklmnop', PEM];
  it.each([
    { text: 'no such cluster', shown: 'no such cluster' },
    { text: 'x'.repeat(50), shown: `${'x'.repeat(40)}…` },
    { text: `${'x'.repeat(37)} abcdefghijklmnop`, shown: `${'x'.repeat(37)} **…` },
    { text: `${'x'.repeat(39)}😀`, shown: `${'x'.repeat(39)}…` },
    { text: 'it ends in abcdefghij', shown: 'it ends in ***' },
    { text: 'ijklmnop is where it begins', shown: '*** is where it begins' },
    { text: 'first abcdefghij\r\n  klmnop', shown: 'first *** klmnop' },
    { text: `key:\n${PEM}`, shown: 'key: ***' },
    { text: 'key: MIIEvQIBADAN\nBgkqhkiG\n', shown: 'key:*** ***' },
    { text: 'a\tb\u001b[31m\n\n c ', shown: 'a b [31m c' },
    { text: 'ask glpat-0123456789abcdefghij', shown: 'ask ***' },
    { text: '', shown: '' },
  ])('of $text is $shown', ({ text, shown }) => {
    expect(knowing(...KNOWN).quote(text, { longest: 40 })).toBe(shown);
  });

  it('is tidied after its secrets were removed, and before it is cut', () => {
    const tidy = (text: string): string => `${text}!`;
    expect(knowing('abcdefgh').quote('abcdefgh', { longest: 3, tidy })).toBe('***…');
  });

  it('leaves no 8 characters of a secret in a row, wherever and in whichever order it is cut and redacted', () => {
    const secret = fc
      .string({ minLength: 8, maxLength: 60 })
      .filter((value) => value.trim().length >= 8 && !/[*….\s]/.test(value));
    const texts = fc.record({
      secret,
      before: fc.string({ maxLength: 9 }),
      after: fc.string({ maxLength: 9 }),
      at: fc.nat(90),
    });
    holds(
      fc.property(texts, ({ secret: value, before, after, at }) => {
        fc.pre(!runIn(before, value) && !runIn(after, value));
        const secrets = knowing(value);
        const text = `${before} ${value} ${after}`;
        const shown = [
          secrets.quote(text, { longest: at }),
          secrets.quote(text.slice(0, at), { longest: 200 }),
          secrets.quote(`${text.slice(0, at)}\n${text.slice(at)}`, { longest: 200 }),
          secrets.redact(`${text.slice(0, at)}…`),
          secrets.redact(`…${text.slice(at)}`),
          secrets.redact(shortened(`${'x'.repeat(at + 100)}${text}`)),
        ];
        for (const each of shown) expect(runIn(each, value)).toBe(false);
      }),
    );
  });

  it.each([' ', '\n', '\r', '…', '...', '. ', 'abcdefgh', 'abcdefgh ', ' \n '])(
    'of many %j takes linear time',
    (part) => {
      const text = part.repeat(200_000);
      const secrets = knowing('abcdefghijklmnop', 'abcdefgh');
      expect(secrets.quote(text, { longest: 10 }).length).toBeLessThan(12);
      expect(secrets.redact(text).length).toBeLessThanOrEqual(text.length);
    },
  );
});

/** Whether a text has 8 characters of a secret in a row. */
function runIn(text: string, secret: string): boolean {
  return Array.from({ length: Math.max(0, secret.length - 7) }, (_, at) => secret.slice(at, at + 8)).some((run) =>
    text.includes(run),
  );
}

describe('tokens that their form gives away', () => {
  it.each([
    ['Authorization: Bearer abc.def-123456', 'Authorization: Bearer ***'],
    ['clone https://me:hunter22@example.com/x', 'clone https://***@example.com/x'],
    ["fetch 'https://me:hunter@22@example.com/x'", "fetch 'https://***@example.com/x'"],
    ['clone https://0123456789abcdef@example.com/x', 'clone https://***@example.com/x'],
    ['amqp://me:hunter@22@example.com', 'amqp://me:***@example.com'],
    ['ssh://git@example.com/x', 'ssh://git@example.com/x'],
    ['token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl!', 'token ***!'],
    ['glpat-0123456789abcdefghij and sha256~0123456789abcdefghij', '*** and ***'],
    [`{"password": "swordfish", "user": "me"}`, `{"password": "***", "user": "me"}`],
  ])('are hidden in %j', (text, shown) => {
    expect(redactShapes(text)).toBe(shown);
  });

  it.each([
    "['apply', 'c1', 'ns1', 'Secret', 'my-password']",
    "['create', 'sa-token-x1y2z']",
    'https://example.com:8443/a@b',
    `image@sha256:${'a'.repeat(64)}`,
    'a basic setup',
  ])('are not seen in %j', (text) => {
    expect(redactShapes(text)).toBe(text);
  });

  it('are searched for in linear time', () => {
    for (const text of ['eyJ', '://a:', 'bearer ', 'password=', 'glpat-'].map((part) => part.repeat(50_000)))
      expect(redactShapes(text).length).toBeLessThanOrEqual(text.length);
  });
});

describe('the environment has secrets', () => {
  it.each([
    { given: 'a token', env: { GITHUB_TOKEN: 'a-long-token' }, found: ['a-long-token'] },
    { given: 'a switch', env: { USE_TOKEN: 'yes' }, found: [] },
    { given: 'a proxy with a login', env: { HTTPS_PROXY: 'http://me:p%40ss@proxy:3128' }, found: ['p%40ss', 'p@ss'] },
    { given: 'a proxy without a scheme', env: { https_proxy: 'me:50%off@proxy:3128' }, found: ['50%off'] },
    { given: 'a proxy without a login', env: { HTTP_PROXY: 'http://proxy:3128' }, found: [] },
    { given: 'exceptions', env: { NO_PROXY: 'a.example.com:80,b' }, found: [] },
  ])('in $given: $found', ({ env, found }) => {
    expect(secretValues(env as Record<string, string>)).toEqual(found);
  });
});
