import type { Resources } from '../domain/fields.ts';
import type { Managed } from '../domain/integration.ts';
import type { Instance } from '../domain/read-instance.ts';
import type { Finding } from '../problem.ts';
import type { KeyPath } from '../yaml/source-tree.ts';

const PARTS = ['requests', 'limits'] as const;

/**
 * Resources with only requests or only limits. The JSON schemas accept them, but the types of a qontract-server require
 * both, so its query fails and the existing manager stops as a whole.
 */
export function partialResources(instance: Instance): Finding[] {
  return instance.integrations.flatMap(({ file, managed }) =>
    managed.flatMap((entry) =>
      written(entry).flatMap(({ resources, keys }) => partial(resources, file, [...entry.keys, ...keys])),
    ),
  );
}

interface WrittenResources {
  readonly resources: Resources | undefined;
  readonly keys: KeyPath;
}

function written({ spec, sharding }: Managed): WrittenResources[] {
  return [
    { resources: spec.resources, keys: ['spec', 'resources'] },
    { resources: spec.fluentdResources, keys: ['spec', 'fluentdResources'] },
    ...sharding.overrides.map(({ resources }, index) => ({
      resources,
      keys: ['sharding', 'shardSpecOverrides', index, 'resources'],
    })),
  ];
}

function partial(resources: Resources | undefined, path: string, keys: KeyPath): Finding[] {
  const [missing, other] = PARTS.filter((part) => resources?.[part] === undefined);
  if (resources === undefined || missing === undefined || other !== undefined) return [];
  return [
    {
      rule: 'resources-not-served',
      severity: 'warning',
      path,
      keys,
      at: 'key',
      message: `resources without ${missing}: a qontract-server requires both, and the existing manager stops`,
      hint: `add ${missing}`,
    },
  ];
}
