import { describe, expect, it } from 'vitest';
import { isLoopbackHost } from '../../base/index.ts';
import { hostOf, parseListen, urlOf } from './access.ts';

describe('an address to listen on', () => {
  it.each([
    { text: '127.0.0.1:8080', host: '127.0.0.1', port: 8080, url: 'http://127.0.0.1:8080/' },
    { text: '[::1]:0', host: '::1', port: 0, url: 'http://[::1]:0/' },
    { text: 'localhost:80', host: 'localhost', port: 80, url: 'http://localhost:80/' },
  ])('$text', ({ text, url, ...address }) => {
    expect(parseListen(text)).toEqual(address);
    expect(urlOf(address, false)).toBe(url);
  });

  it.each(['', '8080', ':8080', '127.0.0.1', '127.0.0.1:x', '127.0.0.1:65536', '::1:8080', 'http://a:1', 'a b:1'])(
    '%j is none',
    (text) => {
      expect(() => parseListen(text)).toThrow(expect.objectContaining({ code: 'FLAG_INVALID' }));
    },
  );

  it.each([
    { host: '127.0.0.1', only: true },
    { host: '127.8.9.10', only: true },
    { host: '::1', only: true },
    { host: 'LOCALHOST', only: true },
    { host: '0.0.0.0', only: false },
    { host: '::', only: false },
    { host: '10.0.0.1', only: false },
    { host: '127.0.0.1.example.com', only: false },
    { host: 'localhost.example.com', only: false },
    { host: '127.1', only: false },
  ])('$host is for this machine alone: $only', ({ host, only }) => {
    expect(isLoopbackHost(host)).toBe(only);
  });

  it.each([
    { header: 'Example.COM:8080', host: 'example.com' },
    { header: '[::1]:8080', host: '::1' },
    { header: '[::1]', host: '::1' },
    { header: 'localhost.', host: 'localhost' },
    { header: '', host: '' },
  ])('the host of $header is $host', ({ header, host }) => {
    expect(hostOf(header)).toBe(host);
  });
});
