import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fleetWith } from '../../test/support/fleet.ts';
import { account, integration, leanNamespace, managedIn, ref } from '../../test/support/hand-made-snapshot.ts';
import { holds } from '../../test/support/property.ts';
import { defined } from '../base/index.ts';
import { nameRuns, runsOf } from './plan-runs.ts';

type Content = Readonly<Record<string, unknown>>;

const pin = (path: string, imageRef: string, more: Content = {}): Content => ({ shard: ref(path), imageRef, ...more });
const entry = (
  strategy: string,
  overrides: readonly Content[] = [],
  spec: Content = {},
  namespace = '/ns.yml',
): Content =>
  managedIn(namespace, {
    spec: { resources: {}, ...spec },
    sharding: { strategy, shardSpecOverrides: overrides },
  });
const accounts = (...overrides: readonly Content[]): Content => entry('per-aws-account', overrides);

function planned(managed: readonly Content[], more: Content = {}, files: Readonly<Record<string, Content>> = {}) {
  const instance = fleetWith({
    '/other.yml': leanNamespace('other'),
    ...files,
    '/mine.yml': integration('mine', {
      pr_check: { cmd: 'mine', ...(more['pr_check'] as Content) },
      managed,
      ...rest(more),
    }),
  });
  return runsOf(instance, instance.integrations[0]!, { compareSha: 'sha-of-base' });
}

function rest({ pr_check: _, ...others }: Content): Content {
  return others;
}

/** `image|arguments`, the default image being empty. */
function told(...given: Parameters<typeof planned>): string[] {
  return planned(...given).runs.map(({ imageRef = '', args }) => `${imageRef}|${args.join(' ')}`);
}

describe('the runs of an integration', () => {
  it.each([
    { given: 'nothing managed', managed: [], runs: ['|'] },
    { given: 'no sharding', managed: [managedIn('/ns.yml')], runs: ['|'] },
    { given: 'no pins', managed: [accounts()], runs: ['|'] },
    {
      given: 'a pin',
      managed: [accounts(pin('/aws/acc-2.yml', 'old'))],
      runs: ['|--exclude-accounts acc-2', 'old|--account-name acc-2'],
    },
    {
      given: 'two pins to one image',
      managed: [accounts(pin('/aws/acc-2.yml', 'old'), pin('/aws/acc-1.yml', 'old'))],
      runs: ['|--exclude-accounts acc-1 --exclude-accounts acc-2', 'old|--account-name acc-1 --account-name acc-2'],
    },
    {
      given: 'two pins to two images',
      managed: [accounts(pin('/aws/acc-2.yml', 'new'), pin('/aws/acc-1.yml', 'old'))],
      runs: [
        '|--exclude-accounts acc-1 --exclude-accounts acc-2',
        'new|--account-name acc-2',
        'old|--account-name acc-1',
      ],
    },
    {
      given: 'a shard pinned to two images in two places',
      managed: [
        accounts(pin('/aws/acc-1.yml', 'b')),
        entry('per-aws-account', [pin('/aws/acc-1.yml', 'a')], {}, '/other.yml'),
      ],
      runs: ['|--exclude-accounts acc-1', 'a|--account-name acc-1', 'b|--account-name acc-1'],
    },
    {
      given: 'all shards pinned',
      managed: [accounts(...['1', '2', '3', '4'].map((n) => pin(`/aws/acc-${n}.yml`, 'old')))],
      runs: ['old|--account-name acc-1 --account-name acc-2 --account-name acc-3 --account-name acc-4'],
    },
    {
      given: 'a disabled shard',
      managed: [accounts({ shard: ref('/aws/acc-1.yml'), disabled: true })],
      runs: ['|--exclude-accounts acc-1'],
    },
    {
      given: 'a shard that is disabled in one place only',
      managed: [
        accounts({ shard: ref('/aws/acc-1.yml'), disabled: true }),
        entry('per-aws-account', [], {}, '/other.yml'),
      ],
      runs: ['|'],
    },
    {
      given: 'a pin of a disabled shard, which nobody runs',
      managed: [accounts(pin('/aws/acc-1.yml', 'old', { disabled: true }))],
      runs: ['|--exclude-accounts acc-1'],
    },
    {
      given: 'a pinned organization',
      managed: [entry('per-ocm-organization', [pin('/orgs/2.yml', 'old')])],
      runs: ['|--exclude-org-id org-id-B', 'old|--org-id org-id-B'],
    },
    {
      given: 'a pinned zone, which no option leaves out',
      managed: [entry('per-cloudflare-zone', [pin('/zones/web.yml', 'old')])],
      runs: ['|--zone-name lost', 'old|--zone-name web'],
    },
    {
      given: 'an image of a whole entry',
      managed: [managedIn('/ns.yml', { spec: { resources: {}, imageRef: 'old' } }), managedIn('/other.yml')],
      runs: ['|', 'old|'],
    },
    {
      given: 'an image of all entries',
      managed: [managedIn('/ns.yml', { spec: { resources: {}, imageRef: 'old' } })],
      runs: ['old|'],
    },
    {
      given: 'an image of a whole entry with a pin',
      managed: [entry('per-aws-account', [pin('/aws/acc-1.yml', 'x')], { imageRef: 'old' })],
      runs: ['old|--exclude-accounts acc-1', 'x|--account-name acc-1'],
    },
    {
      given: 'a shard with the image of an entry here and a pin there',
      managed: [
        entry('per-aws-account', [], { imageRef: 'old' }),
        entry('per-aws-account', [pin('/aws/acc-1.yml', 'x')], { imageRef: 'y' }, '/other.yml'),
      ],
      runs: ['old|', 'y|--exclude-accounts acc-1', 'x|--account-name acc-1'],
    },
    {
      given: 'a pinned static shard',
      managed: [
        managedIn('/ns.yml', {
          sharding: { strategy: 'static', shards: 2, shardSpecOverrides: [{ shard: 1, imageRef: 'x' }] },
        }),
      ],
      runs: ['|', 'x|'],
    },
  ])('with $given', ({ managed, runs }) => {
    expect(told(managed)).toEqual(runs);
  });

  it('with a pinned cluster in parts', () => {
    const subSharding = { strategy: 'static', shards: 3 };
    const managed = entry('per-openshift-cluster', [pin('/clusters/cluster-1.yml', 'old', { subSharding })]);
    const capabilities = ['--cluster-name', '--exclude-cluster', 'SHARDS'];
    expect(told([managed], { capabilities })).toEqual(['|--exclude-cluster cluster-1', 'old|--cluster-name cluster-1']);
  });

  it('have the image of the check where it has one', () => {
    const pr_check = { imageRef: 'own' };
    const pins = [pin('/aws/acc-1.yml', 'old'), pin('/aws/acc-2.yml', 'own')];
    expect(told([accounts(...pins)], { pr_check })).toEqual([
      'own|--exclude-accounts acc-1',
      'old|--account-name acc-1',
    ]);
  });

  it('name a shard by what its file says, not by the path of the file', () => {
    const files = { '/aws/somewhere/else.yml': account('the-name') };
    const runs = told([accounts(pin('/aws/somewhere/else.yml', 'old'))], {}, files);
    expect(runs).toEqual(['|--exclude-accounts the-name', 'old|--account-name the-name']);
  });

  it('name the others where the integration declares options and the one that excludes is not among them', () => {
    const runs = told([accounts(pin('/aws/acc-1.yml', 'old'))], { capabilities: ['--account-name'] });
    expect(runs[0]).toBe('|--account-name acc-2 --account-name acc-3 --account-name acc-4');
  });

  it('never both name and exclude a shard', () => {
    const { runs, notes } = planned([accounts(pin('/aws/acc-1.yml', 'old'))], {
      pr_check: { cmd: 'mine --account-name acc-1' },
    });
    expect(runs.map(({ command, args, imageRef }) => ({ command, args, imageRef }))).toEqual([
      { command: 'mine --account-name acc-1', args: [], imageRef: undefined },
    ]);
    expect(notes).toEqual(['pr_check.cmd selects shards itself: pins are not run separately']);
  });

  it('tie a name that looks like an option to its own option', () => {
    const files = { '/aws/x.yml': account('--help') };
    expect(told([accounts(pin('/aws/x.yml', 'old'))], {}, files)[1]).toBe('old|--account-name=--help');
  });

  it('say what they leave out', () => {
    const { notes } = planned([accounts(pin('/aws/acc-1.yml', 'old')), entry('per-aws-account', [], {}, '/other.yml')]);
    expect(notes).toEqual(['pinned elsewhere, not run with the check image: acc-1 in lab lab/other']);
  });

  it('are none when every shard is disabled', () => {
    const off = ['1', '2', '3', '4'].map((n) => ({ shard: ref(`/aws/acc-${n}.yml`), disabled: true }));
    expect(planned([accounts(...off)])).toMatchObject({
      runs: [],
      notes: ['every shard is disabled: nothing to run'],
    });
  });

  it.each([
    { pr_check: {}, environment: {} },
    { pr_check: { early_exit: true }, environment: { EARLY_EXIT_COMPARE_SHA: 'sha-of-base' } },
    {
      pr_check: { check_only_affected_shards: true },
      environment: { EARLY_EXIT_COMPARE_SHA: 'sha-of-base', CHECK_ONLY_AFFECTED_SHARDS: 'true' },
    },
    { pr_check: { no_validate_schemas: true }, environment: { NO_VALIDATE_SCHEMAS: 'true' } },
  ])('with $pr_check have the variables $environment', ({ pr_check, environment }) => {
    expect(planned([], { pr_check }).runs[0]?.environment).toEqual(environment);
  });
});

const run = (integration: string, imageRef?: string) => ({
  integration,
  command: integration,
  args: [],
  environment: {},
  ...defined({ imageRef }),
});
const logs = (...runs: readonly ReturnType<typeof run>[]): string[] => nameRuns(runs).map(({ log }) => log);

describe('logs', () => {
  it('are named after integration and image', () => {
    expect(logs(run('terraform-resources'), run('terraform-resources', 'f929a38'))).toEqual([
      'reconcile-terraform-resources.txt',
      'reconcile-terraform-resources_f929a38.txt',
    ]);
  });

  it('are told apart where names meet, also on a file system that knows no case', () => {
    expect(logs(run('a_b'), run('a', 'b'), run('A_B'))).toEqual([
      'reconcile-a_b.txt',
      'reconcile-a_b.2.txt',
      'reconcile-A_B.3.txt',
    ]);
  });

  it('never meet', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'A', '/', '.', '-', '_', ' ', '\u0000', 'é') });
    const runs = fc.array(fc.tuple(texts, fc.option(texts, { nil: undefined })), { maxLength: 20 });
    holds(
      fc.property(runs, (given) => {
        const names = logs(...given.map(([integration, image]) => run(integration, image)));
        expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
        for (const name of names) expect(name).toMatch(/^reconcile-[A-Za-z0-9._-]+\.txt$/);
      }),
    );
  });
});
