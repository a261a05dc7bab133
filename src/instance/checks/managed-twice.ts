import { serverAddress } from '../../base/index.ts';
import type { Managed } from '../domain/integration.ts';
import type { Instance } from '../domain/read-instance.ts';
import type { Finding } from '../problem.ts';

/** Two entries of one integration for one namespace, also under two cluster names, would fight over the same workloads. */
export function managedTwice(instance: Instance): Finding[] {
  return instance.integrations.flatMap((integration) => {
    const seen = new Set<string>();
    return integration.managed.flatMap((entry): Finding[] => {
      const { cluster, name } = entry.namespace;
      const target = `${serverAddress(cluster.serverUrl) ?? cluster.name}/${name}`;
      if (seen.has(target)) return [managedTwiceFinding(integration, entry, integration.file)];
      seen.add(target);
      return [];
    });
  });
}

/** What is wrong with the second entry; the first may be in another file. */
export function managedTwiceFinding(
  { name, file }: Pick<Instance['integrations'][number], 'name' | 'file'>,
  { namespace, keys }: Pick<Managed, 'namespace' | 'keys'>,
  firstFile: string,
): Finding {
  const elsewhere = firstFile === file ? '' : `, first in data${firstFile}`;
  return {
    rule: 'managed-twice',
    severity: 'error',
    path: file,
    keys: [...keys, 'namespace'],
    message: `${name} is managed twice in ${namespace.cluster.name}/${namespace.name}${elsewhere}`,
    hint: 'merge the two entries',
  };
}
