import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { EchelonError } from '../../base/index.ts';

export type ProxyEnv = Readonly<Record<string, string | undefined>>;

/** A proxy and where it was configured. Its URL may contain a login, which nobody may show. */
export interface ProxyServer {
  readonly url: URL;
  /** For messages: `HTTPS_PROXY`, `proxy-url`. */
  readonly from: string;
}

/** `proxy.example.com:3128 (HTTPS_PROXY)`: the name of a proxy in messages, without its login. */
export function proxyName({ url, from }: ProxyServer): string {
  return `${url.host} (${from})`;
}

/**
 * The proxy that leads to a server, decided as Go programs such as kubectl do (golang.org/x/net/http/httpproxy): `HTTPS_PROXY`
 * for https, `HTTP_PROXY` for http unless this is a CGI program, and `NO_PROXY` with hosts, suffixes, ports, addresses and
 * CIDRs. This machine is never reached through a proxy.
 */
export function proxyFor(server: URL, env: ProxyEnv): ProxyServer | undefined {
  const scheme = server.protocol === 'https:' ? 'HTTPS' : 'HTTP';
  const from = firstSet(env, `${scheme}_PROXY`);
  if (from === undefined || (scheme === 'HTTP' && env['REQUEST_METHOD'])) return undefined;
  const host = server.hostname.replace(/^\[|\]$/g, '');
  const port = server.port || (scheme === 'HTTPS' ? '443' : '80');
  if (isThisMachine(host)) return undefined;
  const exceptions = env[firstSet(env, 'NO_PROXY') ?? ''] ?? '';
  return exceptions.split(',').some((entry) => isExcepted(host, port, entry.trim().toLowerCase()))
    ? undefined
    : { from, url: parsedProxy(from, env[from] ?? '') };
}

/** Whichever of the two spellings is set and not empty; upper case comes first. */
function firstSet(env: ProxyEnv, name: string): string | undefined {
  return [name, name.toLowerCase()].find((each) => env[each]);
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || matches(host, 'subnet', '127.0.0.0', 8) || matches(host, 'address', '::1');
}

/** An entry of NO_PROXY; one that means nothing excepts nothing. */
function isExcepted(host: string, port: string, entry: string): boolean {
  if (entry === '*') return true;
  const [, network = '', bits = ''] = /^([0-9a-f.:]+)\/(\d+)$/.exec(entry) ?? [];
  if (isSubnet(network, Number(bits))) return matches(host, 'subnet', network, Number(bits));
  const { name, only } = splitPort(entry);
  if (name === '' || (only !== '' && only !== port)) return false;
  if (isIP(name) !== 0) return matches(host, 'address', name);
  if (isIP(host) !== 0) return false;
  const suffix = name.startsWith('*.') ? name.slice(1) : name;
  if (suffix.startsWith('.')) return host.endsWith(ascii(suffix));
  return host === ascii(suffix) || host.endsWith(`.${ascii(suffix)}`);
}

function isSubnet(network: string, bits: number): boolean {
  const family = isIP(network);
  return family !== 0 && bits <= (family === 4 ? 32 : 128);
}

/** `host:port` and `[address]:port`; anything else, such as a bare IPv6 address, is a name as a whole. */
function splitPort(entry: string): { readonly name: string; readonly only: string } {
  const [, bracketed, bare, only = ''] = /^(?:\[([^\]]*)\]|([^:[\]]*)):([^:]*)$/.exec(entry) ?? [];
  return bracketed === undefined && bare === undefined
    ? { name: entry, only: '' }
    : { name: bracketed ?? bare ?? '', only };
}

/** Whether the host is an address among these; IPv4 addresses written as IPv6 count as IPv4. */
function matches(host: string, kind: 'address', address: string): boolean;
function matches(host: string, kind: 'subnet', network: string, bits: number): boolean;
function matches(host: string, kind: 'address' | 'subnet', network: string, bits = 0): boolean {
  if (isIP(host) === 0) return false;
  const list = new BlockList();
  if (kind === 'address') list.addAddress(network, familyOf(network));
  else list.addSubnet(network, bits, familyOf(network));
  return list.check(host, familyOf(host));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

function ascii(name: string): string {
  return name
    .split('.')
    .map((label) => domainToASCII(label) || label)
    .join('.');
}

/** A value without a scheme means http, as in Go. */
function parsedProxy(from: string, value: string): URL {
  const url = URL.parse(/^[a-z][\w+.-]*:\/\//i.test(value.trim()) ? value.trim() : `http://${value.trim()}`);
  if (url !== null && /^(?:https?|socks5h?):$/.test(url.protocol) && url.hostname !== '') return url;
  throw new EchelonError({
    code: 'PROXY_INVALID',
    message: `${from} is not a valid proxy URL`,
    hint: `set ${from} to a URL such as http://proxy.example.com:3128 (http, https or socks5), or unset it`,
  });
}
