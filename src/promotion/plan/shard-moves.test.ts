import { describe, expect, it } from 'vitest';
import {
  account,
  cluster,
  environment,
  handMadeSnapshot,
  integration,
  managedIn,
  product,
  ref,
} from '../../../test/support/hand-made-snapshot.ts';
import { readInstance } from '../../instance/index.ts';
import { cronNotes, shardMoves } from './shard-moves.ts';

const URL = 'https://github.com/app-sre/qontract-reconcile';
const [OLD, NEW] = ['a'.repeat(40), 'b'.repeat(40)];
const DIGEST = `sha256:${'ab'.repeat(32)}`;

interface World {
  readonly ref?: string;
  readonly parameters?: object;
  readonly target?: object;
  readonly environment?: object;
  readonly managed?: object;
  readonly integration?: object;
}

function instance(world: World) {
  return readInstance(
    handMadeSnapshot({
      '/product.yml': product('p'),
      '/stage.yml': environment('stage', '/product.yml', { parameters: { ...world.environment } }),
      '/cluster.yml': cluster('c'),
      '/a.yml': account('one'),
      '/b.yml': account('two'),
      '/ns.yml': {
        $schema: '/openshift/namespace-1.yml',
        ...{ name: 'n', cluster: ref('/cluster.yml'), environment: ref('/stage.yml') },
      },
      '/i.yml': integration('terraform', {
        upstream: URL,
        ...world.integration,
        managed: [managedIn('/ns.yml', { sharding: { strategy: 'per-aws-account' }, ...world.managed })],
      }),
      '/saas.yml': {
        $schema: '/app-sre/saas-file-2.yml',
        name: 'saas',
        resourceTemplates: [
          {
            ...{ name: 'manager', url: URL, path: '/template.yaml' },
            targets: [
              {
                ...{ name: 't', namespace: ref('/ns.yml'), ref: world.ref ?? OLD, ...world.target },
                parameters: {
                  ...{ ENVIRONMENT_NAME: 'stage', INTEGRATIONS_MANAGER_UPSTREAM: URL },
                  ...world.parameters,
                },
              },
            ],
          },
        ],
      },
    }),
  );
}

function moves(before: World, after: World): { moving: string[]; held: string[] } {
  const { moving, held } = shardMoves(instance(before), instance(after));
  return {
    moving: moving.map((move) => `${move.shard} ${move.before}>${move.after}`),
    held: held.map((move) => `${move.shard} ${move.pin}`),
  };
}

const both = (way: string): string[] => [`one ${way}`, `two ${way}`];
const pinned = (imageRef: string, more: object = {}): World => ({
  managed: {
    sharding: { strategy: 'per-aws-account', shardSpecOverrides: [{ shard: ref('/a.yml'), imageRef }] },
    ...more,
  },
});

describe('shards move', () => {
  it.each([
    {
      given: 'with the commit of the manager',
      before: {},
      after: { ref: NEW },
      moving: both('aaaaaaa>bbbbbbb'),
      held: [],
    },
    { given: 'not at all when nothing changes', before: {}, after: {}, moving: [], held: [] },
    {
      given: 'with the tag of the manager, which is stronger than its commit',
      before: { parameters: { IMAGE_TAG: '1' } },
      after: { ref: NEW, parameters: { IMAGE_TAG: '2' } },
      moving: both('1>2'),
      held: [],
    },
    {
      given: 'with what the environment says of the upstream, which is stronger than both',
      before: {
        environment: { INTEGRATION_UPSTREAM_REPOS: [{ repo: URL, ref: OLD }] },
        parameters: { IMAGE_TAG: '1' },
      },
      after: { environment: { INTEGRATION_UPSTREAM_REPOS: [{ repo: URL, ref: NEW }] }, parameters: { IMAGE_TAG: '2' } },
      moving: both('aaaaaaa>bbbbbbb'),
      held: [],
    },
    {
      given: 'not by a branch, which tells no tag',
      before: { ref: 'main' },
      after: { ref: NEW },
      moving: [],
      held: [],
    },
    {
      given: 'not by a target that is disabled',
      before: { target: { disable: true } },
      after: { ref: NEW, target: { disable: true } },
      moving: [],
      held: [],
    },
    {
      given: 'but for those that are pinned',
      before: {},
      after: { ref: NEW, ...pinned('c0ffee0') },
      moving: ['two aaaaaaa>bbbbbbb'],
      held: ['one c0ffee0'],
    },
    {
      given: 'but for those that are pinned with a digest',
      before: {},
      after: { ref: NEW, ...pinned(`c0ffee0@${DIGEST}`) },
      moving: ['two aaaaaaa>bbbbbbb'],
      held: [`one c0ffee0@${DIGEST}`],
    },
    {
      given: 'not for another upstream',
      before: {},
      after: { ref: NEW, integration: { upstream: 'https://github.com/x/y' } },
      moving: [],
      held: [],
    },
  ])('$given', ({ before, after, moving, held }) => {
    expect(moves(before, after)).toEqual({ moving, held });
  });

  it('of a CronJob are held by a pin too, and it is told that the existing manager ignores it', () => {
    const cron = { spec: { resources: {}, cron: '0 * * * *' } };
    const made = shardMoves(instance({}), instance({ ref: NEW, ...pinned(`c0ffee0@${DIGEST}`, cron) }));
    expect([made.moving, made.held].map((some) => some.map(({ shard }) => shard))).toEqual([['two'], ['one']]);
    expect(cronNotes(made).map(({ rule, message }) => `${rule}: ${message}`)).toEqual([
      expect.stringMatching(/^cron-pin: .* at its pin c0ffee0@sha256:abababababab…, .* moves it to bbbbbbb$/),
    ]);
  });
});
