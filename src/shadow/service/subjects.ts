import { EchelonError, passes, requireNames } from '../../base/index.ts';
import type { Instance, Integration, IntegrationSpec, Managed } from '../../instance/index.ts';
import { type Capabilities, expandShards, objectName, parentOf, type Shard, workloadOf } from '../../sharding/index.ts';
import type { ShadowShard } from '../run.ts';

/** A shard whose images are compared. */
export interface ShadowSubject {
  readonly shard: ShadowShard;
  readonly declared: Shard;
  readonly spec: IntegrationSpec;
}

export interface SubjectScope {
  readonly integration: string;
  /** Names of shards, or of shards that are divided; all when absent. */
  readonly shards?: readonly string[] | undefined;
  /** Which of them, by place. */
  readonly only?: ((shard: ShadowShard) => boolean) | undefined;
  readonly environment?: string | undefined;
  readonly clusters?: readonly string[] | undefined;
  readonly namespaces?: readonly string[] | undefined;
}

/** The integration with this name. */
export function integrationOf({ integrations }: Instance, name: string): Integration {
  const names = integrations.map((each) => each.name);
  requireNames('integration', [name], names);
  return integrations[names.indexOf(name)] as Integration;
}

/** The shards of an integration that run, in the scope. */
export function subjectsOf(
  instance: Instance,
  integration: Integration,
  scope: SubjectScope,
  capabilities?: Capabilities,
): ShadowSubject[] {
  const all = integration.managed
    .filter((entry) => isIn(scope, entry))
    .flatMap((entry) => {
      const { shards, findings } = expandShards(instance, integration, entry, capabilities);
      const fault = findings.find(({ severity }) => severity === 'error');
      if (fault !== undefined) throw unreadable(integration, fault.message, fault.hint);
      return shards.filter(({ settings }) => !settings.disabled).map((shard) => subjectOf(integration, entry, shard));
    });
  const known = all.flatMap(({ declared }) => [declared.name, parentOf(declared) ?? declared.name]);
  requireNames('shard', scope.shards, known);
  const chosen = all
    .filter(({ declared }) =>
      [declared.name, parentOf(declared) ?? declared.name].some((name) => passes(scope.shards, name)),
    )
    .filter(({ shard }) => scope.only?.(shard) ?? true);
  if (chosen.length === 0) throw noShards(integration);
  return chosen;
}

function isIn({ environment, clusters, namespaces }: SubjectScope, { namespace }: Managed): boolean {
  return (
    (environment === undefined || namespace.environment.name === environment) &&
    passes(clusters, namespace.cluster.name) &&
    passes(namespaces, namespace.name)
  );
}

function subjectOf(integration: Integration, entry: Managed, declared: Shard): ShadowSubject {
  const { environment, cluster, name } = entry.namespace;
  return {
    declared,
    spec: entry.spec,
    shard: {
      environment: environment.name,
      cluster: cluster.name,
      namespace: name,
      name: declared.name,
      kind: workloadOf(entry),
      object: objectName(integration, declared),
    },
  };
}

function unreadable({ name, file }: Integration, message: string, hint: string): EchelonError {
  return new EchelonError({ code: 'SHARDS_INVALID', message: `shards of ${name} in data${file}: ${message}`, hint });
}

function noShards({ name }: Integration): EchelonError {
  return new EchelonError({
    code: 'SHADOW_NO_SHARD',
    message: `no shard of ${name} runs in this scope`,
    hint: `list them with: echelon get shards --integration ${name}`,
  });
}
