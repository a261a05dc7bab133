import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dump } from 'js-yaml';

/** An instance with one integration that has one shard for each of so many accounts, in one namespace. */
export function generateShards(target: string, shards: number): void {
  const write = (path: string, content: object): void => {
    const file = join(target, 'data', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, dump(content));
  };
  for (let shard = 0; shard < shards; shard += 1) {
    const name = `account-${String(shard).padStart(4, '0')}`;
    write(`aws/${name}.yml`, {
      $schema: '/aws/account-1.yml',
      name,
      uid: String(100_000_000_000 + shard),
      resourcesDefaultRegion: 'us-east-1',
    });
  }
  write('namespace.yml', {
    $schema: '/openshift/lean-namespace-1.yml',
    name: 'bench',
    cluster: { name: 'bench', serverUrl: 'https://bench.example.com', automationToken: { path: 'a/b', field: 'c' } },
    environment: { name: 'bench', parameters: { IMAGE_TAG: 'f929a38' } },
  });
  write('integration.yml', {
    $schema: '/app-sre/integration-1.yml',
    name: 'terraform-resources',
    description: 'one shard for each account',
    schemas: [],
    managed: [
      {
        namespace: { $ref: '/namespace.yml' },
        spec: {
          state: true,
          logs: { slack: true },
          resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '2Gi' } },
        },
        sharding: {
          strategy: 'per-aws-account',
          shardSpecOverrides: [{ shard: { $ref: '/aws/account-0007.yml' }, imageRef: '0473914' }],
        },
      },
    ],
  });
}
