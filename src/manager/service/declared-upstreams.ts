import type { Instance, Integration } from '../../instance/index.ts';
import { objectName, workloadOf } from '../../sharding/index.ts';
import { objectKey } from '../desired/desired-namespace.ts';
import { identityOf } from '../desired/identity.ts';
import { type SelectOptions, selectWorkloads } from '../desired/select.ts';
import type { DeclaredFor } from '../plan/plan-options.ts';

/**
 * Finds what an instance declares of an object's integration in a namespace of that name, whatever a manager is restricted to:
 * by the identity on the object, or by its name where an existing manager wrote it. Prepared when it is first asked.
 */
export function declaredUpstreams(
  instance: Instance,
  options: Pick<SelectOptions, 'capabilities' | 'otherChart'>,
): DeclaredFor {
  let byName: ReadonlyMap<string, Integration> | undefined;
  let byObject: ReadonlyMap<string, Integration> | undefined;
  return (object, namespace) => {
    const identity = identityOf(object);
    if (identity !== undefined) {
      byName ??= new Map(instance.integrations.map((integration) => [integration.name, integration]));
      const integration = byName.get(identity.integration);
      return integration?.managed.some((entry) => entry.namespace.name === namespace) ? integration : undefined;
    }
    byObject ??= declaredNames(instance, options);
    return byObject.get(`${namespace}/${objectKey(object)}`);
  };
}

function declaredNames(
  instance: Instance,
  options: Pick<SelectOptions, 'capabilities' | 'otherChart'>,
): ReadonlyMap<string, Integration> {
  const { groups } = selectWorkloads(instance, options);
  return new Map(
    groups.flatMap(({ namespace, entries }) =>
      entries.flatMap(({ integration, entry, shards }) =>
        shards.map((shard) => {
          const name = { kind: workloadOf(entry), metadata: { name: objectName(integration, shard) } };
          return [`${namespace.name}/${objectKey(name)}`, integration] as const;
        }),
      ),
    ),
  );
}
