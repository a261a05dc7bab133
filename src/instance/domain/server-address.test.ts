import { describe, expect, it } from 'vitest';
import { serverAddress } from './server-address.ts';

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
