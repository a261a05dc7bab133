/**
 * Whether only this machine can be reached under a host name; what is not certain is no. Takes a host as sockets or as
 * URLs write it: `::1`, `[::1]`.
 */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

/** Whether everybody on the way could read what is sent to a URL: plain HTTP to another machine. */
export function isClearText({ protocol, hostname }: URL): boolean {
  return protocol !== 'https:' && !isLoopbackHost(hostname);
}
