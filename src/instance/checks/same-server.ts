import { serverAddress } from '../../base/index.ts';
import type { Instance } from '../domain/read-instance.ts';
import type { Finding } from '../problem.ts';
import { fileOf } from '../snapshot.ts';

interface NamedServer {
  readonly name: string;
  readonly serverUrl: string;
  readonly file: string;
  readonly keys: Finding['keys'];
}

/** Two cluster names for one API server, reported once for each further name. */
export function sameServer({ clusters, namespaces }: Instance): Finding[] {
  const named: NamedServer[] = [
    ...clusters.map(({ name, serverUrl, file }) => ({ name, serverUrl, file, keys: ['serverUrl'] })),
    ...namespaces
      .filter(({ lean }) => lean)
      .map(({ cluster, file }) => ({
        name: cluster.name,
        serverUrl: cluster.serverUrl,
        file,
        keys: ['cluster', 'serverUrl'],
      })),
  ];
  const first = new Map<string, NamedServer>();
  const known = new Set<string>();
  return named.flatMap((one): Finding[] => {
    const address = serverAddress(one.serverUrl);
    if (address === undefined || known.has(`${address} ${one.name}`)) return [];
    known.add(`${address} ${one.name}`);
    const earlier = first.get(address);
    if (earlier !== undefined) return [secondName(one, earlier)];
    first.set(address, one);
    return [];
  });
}

function secondName({ name, serverUrl, file, keys }: NamedServer, earlier: NamedServer): Finding {
  return {
    rule: 'same-server',
    severity: 'warning',
    path: file,
    keys,
    message: `cluster ${name} has the same API server as cluster ${earlier.name} in ${fileOf(earlier.file)}: ${serverUrl}`,
    hint: 'use one cluster name for it; until then the manager treats both as one cluster',
  };
}
