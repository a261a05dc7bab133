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
