import { describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.ts';

const shardOf = (...args: readonly string[]) => runCli(['shard-of', ...args]);

describe('shard-of', () => {
  it.each([
    { key: 'saas-qontract-reconcile', shards: '3', shard: '1' },
    { key: 'app-sre-prod-01/my-namespace', shards: '2', shard: '1' },
    { key: 'app-sre-prod-01/my-namespace', shards: '5', shard: '2' },
    { key: 'appsrep05ue1/app-interface-production', shards: '20', shard: '6' },
    { key: 'https://gitlab.example.com/service/app-interface', shards: '4', shard: '0' },
    { key: 'tekton-provider-a', shards: '3', shard: '2' },
    { key: 'ü-cluster', shards: '7', shard: '3' },
    { key: 'anything', shards: '1', shard: '0' },
  ])('$key of $shards shards: $shard', async ({ key, shards, shard }) => {
    const { code, stdout, stderr } = await shardOf(key, '--shards', shards);
    const [, row = ''] = stdout.split('\n');
    expect({ code, row: row.split(/ {2,}/), stderr }).toEqual({ code: 0, row: [key, shard], stderr: '' });
  });

  it('answers for several keys in the order of the command line', async () => {
    const table = 'KEY                       SHARD\ntekton-provider-a         2\nsaas-qontract-reconcile   1\n';
    const answer = { code: 0, stdout: table, stderr: '' };
    expect(await shardOf('tekton-provider-a', 'saas-qontract-reconcile', '--shards', '3')).toEqual(answer);
  });

  it('answers programs, with the method', async () => {
    const { stdout } = await shardOf('', 'tekton-provider-a', '--shards', '3', '-o', 'json');
    expect(JSON.parse(stdout)).toEqual({
      apiVersion: 'echelon/v1',
      kind: 'ShardOfList',
      revision: 'md5/3',
      items: [
        { key: '', shard: 0 },
        { key: 'tekton-provider-a', shard: 2 },
      ],
    });
  });

  it('by rendezvous, moves a key to the new shard or nowhere', async () => {
    const keys = Array.from({ length: 40 }, (_, index) => `cluster-${index}/namespace`);
    const owners = async (shards: number): Promise<number[]> => {
      const flags = ['--shards', String(shards), '--membership', 'rendezvous', '-o', 'json'];
      const { stdout } = await shardOf(...keys, ...flags);
      return JSON.parse(stdout).items.map(({ shard }: { shard: number }) => shard);
    };
    const [four, five] = [await owners(4), await owners(5)];
    expect(five.filter((shard, index) => shard !== four[index] && shard !== 4)).toEqual([]);
    expect(new Set(five).size).toBe(5);
  });

  it.each([
    { given: 'no number of shards', args: ['key'], says: "required option '--shards <n>' not specified" },
    { given: 'no shards', args: ['key', '--shards', '0'], says: 'it must be a whole number, 1 or more' },
    { given: 'half a shard', args: ['key', '--shards', '1.5'], says: 'it must be a whole number, 1 or more' },
    { given: 'a word', args: ['key', '--shards', 'many'], says: 'it must be a whole number, 1 or more' },
    { given: 'no key', args: ['--shards', '3'], says: "missing required argument 'keys'" },
    { given: 'another method', args: ['key', '--shards', '3', '--membership', 'sha'], says: 'Allowed choices are md5' },
  ])('is used wrongly with $given', async ({ args, says }) => {
    const { code, stdout, stderr } = await shardOf(...args);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toContain(says);
  });
});
