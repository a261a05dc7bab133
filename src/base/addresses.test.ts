import { describe, expect, it } from 'vitest';
import { isClearText, isLoopbackHost } from './addresses.ts';

describe('a host of this machine', () => {
  it.each(['localhost', 'LocalHost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'])('is %s', (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });

  it.each(['', '0.0.0.0', '::', '128.0.0.1', '127.0.0.1.example.com', 'localhost.example.com', '[::2]', '127.1'])(
    'is not %j',
    (host) => {
      expect(isLoopbackHost(host)).toBe(false);
    },
  );
});

describe('clear text', () => {
  it.each([
    { url: 'https://example.com', clear: false },
    { url: 'http://example.com', clear: true },
    { url: 'http://127.0.0.1:8080', clear: false },
    { url: 'http://127.1', clear: false },
    { url: 'http://[::1]:80/x', clear: false },
    { url: 'http://localhost.example.com', clear: true },
    { url: 'ftp://example.com', clear: true },
  ])('$url: $clear', ({ url, clear }) => {
    expect(isClearText(new URL(url))).toBe(clear);
  });
});
