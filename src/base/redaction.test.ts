import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/support/property.ts';
import { redactShapes, Secrets } from './redaction.ts';

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

describe('tokens that their form gives away', () => {
  it.each([
    ['Authorization: Bearer abc.def-123456', 'Authorization: Bearer ***'],
    ['clone https://me:hunter22@example.com/x', 'clone https://me:***@example.com/x'],
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
