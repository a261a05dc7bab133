import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dump } from 'js-yaml';

/**
 * An instance with one integration that has so many shards on so many clusters: one for each account, in a namespace of each
 * cluster. The clusters are `bench`, `bench-1`, and so on.
 */
export function generateShards(target: string, shards: number, clusters = 1): void {
  const write = (path: string, content: object): void => {
    const file = join(target, 'data', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, dump(content));
  };
  for (let shard = 0; shard < shards / clusters; shard += 1) {
    const name = `account-${String(shard).padStart(4, '0')}`;
    write(`aws/${name}.yml`, {
      $schema: '/aws/account-1.yml',
      name,
      uid: String(100_000_000_000 + shard),
      resourcesDefaultRegion: 'us-east-1',
    });
  }
  const names = clusterNames(clusters);
  for (const cluster of names) {
    write(`namespaces/${cluster}.yml`, {
      $schema: '/openshift/lean-namespace-1.yml',
      name: 'bench',
      cluster: {
        name: cluster,
        serverUrl: `https://${cluster}.example.com`,
        automationToken: { path: 'a/b', field: 'c' },
      },
      environment: { name: 'bench', parameters: { IMAGE_TAG: 'f929a38' } },
    });
  }
  write('integration.yml', {
    $schema: '/app-sre/integration-1.yml',
    name: 'terraform-resources',
    description: 'one shard for each account',
    schemas: [],
    managed: names.map((cluster) => ({
      namespace: { $ref: `/namespaces/${cluster}.yml` },
      spec: {
        state: true,
        logs: { slack: true },
        resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '2Gi' } },
      },
      sharding: {
        strategy: 'per-aws-account',
        shardSpecOverrides: [{ shard: { $ref: '/aws/account-0007.yml' }, imageRef: '0473914' }],
      },
    })),
  });
}

export function clusterNames(clusters: number): string[] {
  return Array.from({ length: clusters }, (_, at) => (at === 0 ? 'bench' : `bench-${at}`));
}
