import { describe, expect, it } from 'vitest';
import { isClearText, isLoopbackHost, serverAddress } from './addresses.ts';

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

describe('the address of an API server', () => {
  it.each([
    { spelling: 'https://api.example.com' },
    { spelling: 'https://API.Example.com' },
    { spelling: 'HTTPS://api.example.com' },
    { spelling: 'https://api.example.com:443' },
    { spelling: 'https://api.example.com/' },
    { spelling: 'https://api.example.com.:443//' },
  ])('is the same for $spelling', ({ spelling }) => {
    expect(serverAddress(spelling)).toBe('https://api.example.com');
  });

  it.each([
    { given: 'another port', url: 'https://api.example.com:6443', address: 'https://api.example.com:6443' },
    { given: 'another protocol', url: 'http://api.example.com', address: 'http://api.example.com' },
    { given: 'a path, in its case', url: 'https://proxy/k8s/Lab/', address: 'https://proxy/k8s/Lab' },
    { given: 'an IPv6 address', url: 'https://[::1]:6443/', address: 'https://[::1]:6443' },
  ])('differs for $given', ({ url, address }) => {
    expect(serverAddress(url)).toBe(address);
  });

  it.each(['', 'TBD', 'api.example.com', 'api.example.com:6443', 'https://'])('is unknown for %j', (url) => {
    expect(serverAddress(url)).toBeUndefined();
  });
});
