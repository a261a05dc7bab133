import { describe, expect, it } from 'vitest';
import { proxyFor, proxyName } from './proxy.ts';

const PLAIN = 'http://proxy.example.com:3128';
const SECURE = 'http://secure.example.com:3129';

const addressOf = (url: string, env: Readonly<Record<string, string>>): string | undefined =>
  proxyFor(new URL(url), env)?.url.href.replace(/\/$/, '');

/** Expected results are those of golang.org/x/net/http/httpproxy v0.47.0, with which Go 1.26 and kubectl decide. */
describe('the proxy of a server', () => {
  it.each([
    { env: {}, url: 'https://a.example.com', proxy: undefined },
    { env: { HTTP_PROXY: PLAIN, HTTPS_PROXY: SECURE }, url: 'https://a.example.com', proxy: SECURE },
    { env: { HTTP_PROXY: PLAIN, HTTPS_PROXY: SECURE }, url: 'http://a.example.com', proxy: PLAIN },
    { env: { https_proxy: SECURE }, url: 'https://a.example.com', proxy: SECURE },
    { env: { http_proxy: PLAIN }, url: 'http://a.example.com', proxy: PLAIN },
    { env: { HTTPS_PROXY: SECURE, https_proxy: PLAIN }, url: 'https://a.example.com', proxy: SECURE },
    { env: { HTTPS_PROXY: '', https_proxy: PLAIN }, url: 'https://a.example.com', proxy: PLAIN },
    { env: { HTTP_PROXY: PLAIN }, url: 'https://a.example.com', proxy: undefined },
    { env: { HTTPS_PROXY: SECURE }, url: 'http://a.example.com', proxy: undefined },
    { env: { ALL_PROXY: PLAIN }, url: 'https://a.example.com', proxy: undefined },
    { env: { HTTPS_PROXY: 'proxy.example.com:3128' }, url: 'https://a.example.com', proxy: PLAIN },
    { env: { HTTPS_PROXY: 'proxy.example.com' }, url: 'https://a.example.com', proxy: 'http://proxy.example.com' },
    { env: { HTTPS_PROXY: '10.0.0.1:3128' }, url: 'https://a.example.com', proxy: 'http://10.0.0.1:3128' },
    {
      env: { HTTPS_PROXY: 'http://me:pass@proxy.example.com:3128' },
      url: 'https://a.example.com',
      proxy: 'http://me:pass@proxy.example.com:3128',
    },
    {
      env: { HTTPS_PROXY: 'https://proxy.example.com' },
      url: 'https://a.example.com',
      proxy: 'https://proxy.example.com',
    },
    {
      env: { HTTPS_PROXY: 'socks5://proxy.example.com' },
      url: 'https://a.example.com',
      proxy: 'socks5://proxy.example.com',
    },
    {
      env: { HTTP_PROXY: PLAIN, HTTPS_PROXY: SECURE, REQUEST_METHOD: 'GET' },
      url: 'https://a.example.com',
      proxy: SECURE,
    },
    { env: { HTTP_PROXY: PLAIN, HTTPS_PROXY: SECURE }, url: 'https://localhost.example.com', proxy: SECURE },
    { env: { HTTP_PROXY: PLAIN, HTTPS_PROXY: SECURE }, url: 'https://128.0.0.1', proxy: SECURE },
    {
      env: { HTTP_PROXY: PLAIN, HTTPS_PROXY: SECURE, no_proxy: 'example.com' },
      url: 'https://example.com',
      proxy: undefined,
    },
    {
      env: { HTTP_PROXY: PLAIN, HTTPS_PROXY: SECURE, NO_PROXY: 'other.com', no_proxy: 'example.com' },
      url: 'https://example.com',
      proxy: SECURE,
    },
  ])('with $env, of $url is $proxy', ({ env, url, proxy }) => {
    expect(addressOf(url, env as Record<string, string>)).toBe(proxy);
  });

  it.each([
    { exceptions: '', url: 'https://localhost:6443', way: 'direct' },
    { exceptions: '', url: 'http://127.0.0.1:8080', way: 'direct' },
    { exceptions: '', url: 'https://127.1.2.3', way: 'direct' },
    { exceptions: '', url: 'https://[::1]:8443', way: 'direct' },
    { exceptions: '', url: 'https://[::ffff:127.0.0.1]', way: 'direct' },
    { exceptions: '*', url: 'https://a.example.com', way: 'direct' },
    { exceptions: '*', url: 'https://10.0.0.1', way: 'direct' },
    { exceptions: 'x, *', url: 'https://a.example.com', way: 'direct' },
    { exceptions: 'example.com', url: 'https://example.com', way: 'direct' },
    { exceptions: 'example.com', url: 'https://a.example.com', way: 'direct' },
    { exceptions: 'example.com', url: 'https://a.b.example.com', way: 'direct' },
    { exceptions: 'example.com', url: 'https://notexample.com', way: 'proxy' },
    { exceptions: 'example.com', url: 'https://example.org', way: 'proxy' },
    { exceptions: '.example.com', url: 'https://example.com', way: 'proxy' },
    { exceptions: '.example.com', url: 'https://a.example.com', way: 'direct' },
    { exceptions: '*.example.com', url: 'https://a.example.com', way: 'direct' },
    { exceptions: '*.example.com', url: 'https://example.com', way: 'proxy' },
    { exceptions: 'EXAMPLE.com', url: 'https://A.Example.COM', way: 'direct' },
    { exceptions: ' b.org , example.com ', url: 'https://example.com', way: 'direct' },
    { exceptions: ',,', url: 'https://example.com', way: 'proxy' },
    { exceptions: 'example', url: 'https://example.com', way: 'proxy' },
    { exceptions: 'example.com:443', url: 'https://example.com', way: 'direct' },
    { exceptions: 'example.com:443', url: 'https://example.com:8443', way: 'proxy' },
    { exceptions: 'example.com:8443', url: 'https://a.example.com:8443', way: 'direct' },
    { exceptions: 'example.com:80', url: 'http://example.com', way: 'direct' },
    { exceptions: 'example.com:80', url: 'https://example.com', way: 'proxy' },
    { exceptions: '.example.com:443', url: 'https://a.example.com', way: 'direct' },
    { exceptions: 'example.com:', url: 'https://example.com:8443', way: 'direct' },
    { exceptions: ':443', url: 'https://example.com', way: 'proxy' },
    { exceptions: '10.0.0.1', url: 'https://10.0.0.1', way: 'direct' },
    { exceptions: '10.0.0.1', url: 'https://10.0.0.2', way: 'proxy' },
    { exceptions: '10.0.0.1:6443', url: 'https://10.0.0.1:6443', way: 'direct' },
    { exceptions: '10.0.0.1:6443', url: 'https://10.0.0.1', way: 'proxy' },
    { exceptions: '10.0.0.0/8', url: 'https://10.200.3.4:6443', way: 'direct' },
    { exceptions: '10.0.0.0/8', url: 'https://11.0.0.1', way: 'proxy' },
    { exceptions: '172.30.0.0/16', url: 'https://172.30.0.1', way: 'direct' },
    { exceptions: '172.30.0.0/16', url: 'https://172.31.0.1', way: 'proxy' },
    { exceptions: '10.0.0.0/33', url: 'https://10.0.0.1', way: 'proxy' },
    { exceptions: '10.0.0.0/8', url: 'https://ten.example.com', way: 'proxy' },
    { exceptions: '0.0.0.0/0', url: 'https://1.2.3.4', way: 'direct' },
    { exceptions: '0.0.0.0/0', url: 'https://[fd00::1]', way: 'proxy' },
    { exceptions: '10.1.2.3/24', url: 'https://10.1.2.200', way: 'direct' },
    { exceptions: 'fd00::/8', url: 'https://[fd00::1]:6443', way: 'direct' },
    { exceptions: 'fd00::/8', url: 'https://[fe00::1]', way: 'proxy' },
    { exceptions: 'fd00::1', url: 'https://[fd00::1]', way: 'direct' },
    { exceptions: 'fd00::1', url: 'https://[fd00:0:0::1]', way: 'direct' },
    { exceptions: '[fd00::1]:6443', url: 'https://[fd00::1]:6443', way: 'direct' },
    { exceptions: '[fd00::1]:6443', url: 'https://[fd00::1]', way: 'proxy' },
    { exceptions: '[fd00::1]', url: 'https://[fd00::1]', way: 'proxy' },
    { exceptions: '10.0.0.1', url: 'https://[::ffff:10.0.0.1]', way: 'direct' },
    { exceptions: '10.0.0.0/8', url: 'https://[::ffff:10.0.0.1]', way: 'direct' },
    { exceptions: '.0.0.1', url: 'https://10.0.0.1', way: 'proxy' },
    { exceptions: '0.0.1', url: 'https://10.0.0.1', way: 'proxy' },
    { exceptions: 'svc,.svc,.cluster.local', url: 'https://thanos.openshift-monitoring.svc:9091', way: 'direct' },
    { exceptions: '.cluster.local,.svc', url: 'http://qontract-server.ns.svc.cluster.local', way: 'direct' },
    { exceptions: 'münchen.example', url: 'https://xn--mnchen-3ya.example', way: 'direct' },
    { exceptions: 'xn--mnchen-3ya.example', url: 'https://a.münchen.example', way: 'direct' },
    { exceptions: '.', url: 'https://example.com.', way: 'direct' },
    { exceptions: '*.', url: 'https://example.com', way: 'proxy' },
  ])('except "$exceptions": $url is reached by $way', ({ exceptions, url, way }) => {
    const proxy = addressOf(url, { HTTP_PROXY: PLAIN, HTTPS_PROXY: SECURE, NO_PROXY: exceptions });
    expect(proxy === undefined ? 'direct' : 'proxy').toBe(way);
  });

  it('is none for this machine in any spelling, and none for http in a CGI program, where a client sets HTTP_PROXY', () => {
    expect(addressOf('https://LOCALHOST', { HTTPS_PROXY: SECURE })).toBeUndefined();
    expect(addressOf('http://a.example.com', { HTTP_PROXY: PLAIN, REQUEST_METHOD: 'GET' })).toBeUndefined();
  });

  it.each(['ftp://proxy.example.com', 'http://', 'http://me:hush-hush@', '://', 'http://a b'])(
    'cannot be "%s", and the error does not repeat it',
    (value) => {
      expect(() => addressOf('https://a.example.com', { HTTPS_PROXY: value })).toThrow(
        expect.objectContaining({ code: 'PROXY_INVALID', message: 'HTTPS_PROXY is not a valid proxy URL' }),
      );
      expect(addressOf('https://127.0.0.1', { HTTPS_PROXY: value })).toBeUndefined();
    },
  );

  it('is named with its variable and without its login', () => {
    const proxy = proxyFor(new URL('https://a.example.com'), {
      https_proxy: 'http://me:hush-hush@proxy.example.com:3128',
    });
    expect(proxy && proxyName(proxy)).toBe('proxy.example.com:3128 (https_proxy)');
  });
});
