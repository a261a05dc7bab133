/**
 * The address of an API server, the same for every spelling of its URL: letter case, the default port, a trailing slash
 * or dot. Undefined for what is not a URL, such as the empty `serverUrl` of a cluster that does not exist yet.
 */
export function serverAddress(serverUrl: string): string | undefined {
  if (!URL.canParse(serverUrl)) return undefined;
  const { protocol, hostname, port, pathname } = new URL(serverUrl);
  if (hostname === '') return undefined;
  const at = port === '' ? '' : `:${port}`;
  return `${protocol}//${hostname.replace(/\.$/, '')}${at}${pathname.replace(/\/+$/, '')}`;
}
