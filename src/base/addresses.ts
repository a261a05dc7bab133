import type http from 'node:http';

/** Whether a host is certainly this machine, in the form of sockets or of URLs: `::1`, `[::1]`. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

/** Whether requests to a URL are sent in clear text over the network: plain HTTP to another machine. */
export function isClearText({ protocol, hostname }: URL): boolean {
  return protocol !== 'https:' && !isLoopbackHost(hostname);
}

/**
 * `node:http` as it is. An `import` of it reads all of its exports, some of which load another HTTP client when they are
 * read: 14 MB of memory that a loop would hold for ever.
 */
export function nodeHttp(): typeof http {
  return process.getBuiltinModule('node:http');
}

/**
 * The address of an API server, the same for every spelling of its URL: letter case, the default port, a trailing slash
 * or dot. Undefined for what is not a URL, such as the empty `serverUrl` of a cluster that does not exist yet.
 */
export function serverAddress(serverUrl: string): string | undefined {
  const url = URL.parse(serverUrl);
  if (url === null || url.hostname === '') return undefined;
  const { protocol, hostname, port, pathname } = url;
  const at = port === '' ? '' : `:${port}`;
  return `${protocol}//${hostname.replace(/\.$/, '')}${at}${pathname.replace(/\/+$/, '')}`;
}
