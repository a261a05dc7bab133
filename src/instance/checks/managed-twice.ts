import type { Instance } from '../domain/read-instance.ts';
import type { Finding } from '../problem.ts';

/** Two entries of one integration for one namespace would overwrite each other's workloads. */
export function managedTwice(instance: Instance): Finding[] {
  return instance.integrations.flatMap(({ name, file, managed }) => {
    const seen = new Set<string>();
    return managed.flatMap(({ namespace, keys }): Finding[] => {
      const target = `${namespace.cluster.name}/${namespace.name}`;
      if (!seen.has(target)) {
        seen.add(target);
        return [];
      }
      return [
        {
          rule: 'managed-twice',
          severity: 'error',
          path: file,
          keys: [...keys, 'namespace'],
          message: `${name} is managed twice in ${target}`,
          hint: 'merge the two entries',
        },
      ];
    });
  });
}
