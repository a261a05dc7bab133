import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fleetWith, managedOnce } from '../../../test/support/fleet.ts';
import { integration, leanNamespace, managedIn, ref, zone } from '../../../test/support/hand-made-snapshot.ts';
import { helmFault, type MemoryChart, memoryChart } from '../../../test/support/memory-chart.ts';
import { holdsAsync } from '../../../test/support/property.ts';
import { type KubeObject, objectKey } from './desired-namespace.ts';
import type { NamespaceGroup } from './group.ts';
import { identityOf } from './identity.ts';
import type { ParameterSources } from './parameters.ts';
import { type Rendered, type RenderOptions, renderGroups } from './render.ts';
import { memoryCache } from './render-memory.ts';
import { selectWorkloads } from './select.ts';
import type { NamespaceValues } from './values.ts';

const NOTHING: ParameterSources = { environment: {}, process: {}, flags: new Map() };

/** Groups `lab/<namespace>`, each with these integrations. */
function groupsOf(
  namespaces: Readonly<Record<string, readonly string[]>>,
  spec: object = {},
): readonly NamespaceGroup[] {
  const names = [...new Set(Object.values(namespaces).flat())];
  const files = Object.fromEntries([
    ...Object.keys(namespaces).map((name) => [`/${name}.yml`, leanNamespace(name)]),
    ...names.map((name) => {
      const homes = Object.keys(namespaces).filter((home) => namespaces[home]?.includes(name));
      const managed = homes.map((home) => managedIn(`/${home}.yml`, { spec: { resources: {}, ...spec } }));
      return [`/i/${name}.yml`, integration(name, { managed })];
    }),
  ]);
  return selectWorkloads(fleetWith(files)).groups;
}

function render(
  groups: readonly NamespaceGroup[],
  chart: MemoryChart,
  more: Partial<RenderOptions> = {},
): Promise<Rendered> {
  return renderGroups(groups, { chart, parameters: () => NOTHING, ...more });
}

interface Workload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

function workload(
  name: string,
  identity?: readonly [integration: string, shard: string, environment?: string],
): Workload {
  const [integration = '', shard = '', environment = 'lab'] = identity ?? [];
  const annotations = {
    'echelon/integration': integration,
    'echelon/shard': shard,
    'echelon/environment': environment,
  };
  const metadata = identity === undefined ? { name } : { name, annotations };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata };
}

/** A Deployment with the usual name for each shard. */
function workloadsFor({ integrations, cronjobs }: NamespaceValues): Workload[] {
  return [...integrations, ...cronjobs].flatMap(({ name, shard_specs }) =>
    shard_specs.map(({ shard_name_suffix }) => workload(`qontract-reconcile-${name}${shard_name_suffix}`)),
  );
}

/** `namespace: objects`, then `namespace: code message`. */
function told({ namespaces, failures }: Rendered): string[] {
  return [
    ...namespaces.map(
      ({ namespace, objects }) =>
        `${namespace}: ${objects.map(({ metadata }) => metadata.name.replace('qontract-reconcile-', '')).join(' ')}`,
    ),
    ...failures.map(({ error }) => `${error.code} ${error.message}`),
  ];
}

describe('rendering', () => {
  it('nothing is nothing', async () => {
    const chart = memoryChart();
    expect(await render([], chart)).toEqual({ namespaces: [], failures: [] });
    expect(chart.renders).toEqual([]);
  });

  it('runs the chart once for a namespace, whatever is in it', async () => {
    const chart = memoryChart();
    const rendered = await render(groupsOf({ one: ['a', 'b'], two: ['c'] }), chart);
    expect(told(rendered)).toEqual(['one: a b', 'two: c']);
    expect(chart.renders.toSorted()).toEqual([['a', 'b'], ['c']]);
  });

  it('puts parameters in, and no image ends in @', async () => {
    const [group] = groupsOf({ one: ['a'] });
    const sources = { ...NOTHING, process: { LOG_LEVEL: 'DEBUG' }, image: 'quay.io/x/y', version: { tag: 'f929a38' } };
    const { namespaces } = await render([group!], memoryChart(), { parameters: async () => sources });
    expect(namespaces[0]?.objects[0]?.['spec']).toEqual({ image: 'quay.io/x/y:f929a38', level: 'DEBUG' });
  });

  it('takes plain manifests as they are, references and all', async () => {
    const manifest = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { text: '${IMAGE_TAG}' } };
    const write = (values: NamespaceValues) => ({ kind: 'List', items: [...workloadsFor(values), manifest] });
    const { namespaces } = await render(groupsOf({ one: ['a'] }), memoryChart({ write }));
    expect(namespaces[0]?.objects[1]).toEqual({ ...manifest, metadata: { name: 's', namespace: 'one' } });
  });

  it('gives namespaces in the order of groups, whichever is ready first', async () => {
    const names = ['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7'];
    const groups = groupsOf(Object.fromEntries(names.map((name) => [name, [`i-${name}`]])));
    const waiting = new Map<string, () => void>();
    const before = ([name = '']: readonly string[]): Promise<void> =>
      new Promise((resolve) => {
        waiting.set(name, resolve);
        if (waiting.size === 4)
          [...waiting.values()].reverse().forEach((go) => {
            go();
          });
        if (waiting.size > 4) resolve();
      });
    const progress: string[] = [];
    const rendered = await render(groups, memoryChart({ before }), { onProgress: (done) => progress.push(done) });
    expect(rendered.namespaces.map(({ namespace }) => namespace)).toEqual(names);
    expect(progress).toEqual(names.map((name) => `render lab/${name}`));
  });
});

describe('a namespace that fails', () => {
  it.each(['HELM_FAILED', 'CHART_OUTPUT', 'HELM_TIMEOUT', 'HELM_NOT_FOUND'])(
    'with %s leaves the others alone',
    async (code) => {
      const chart = memoryChart({
        fault: (names) => (names.includes('bad') ? helmFault(code, 'not these values') : undefined),
      });
      const rendered = await render(groupsOf({ one: ['a'], two: ['bad'], zoo: ['c'] }), chart);
      expect(told(rendered)).toEqual(['one: a', 'zoo: c', `${code} lab/two, bad (data/i/bad.yml): not these values`]);
      expect(rendered.failures[0]).toMatchObject({ target: 'lab/two', error: { hint: 'look' } });
    },
  );

  it('for want of parameters leaves the others alone', async () => {
    const parameters = ({ namespace }: NamespaceGroup): ParameterSources => {
      if (namespace.name === 'two') throw helmFault('REF_UNKNOWN', 'no such ref');
      return NOTHING;
    };
    const rendered = await render(groupsOf({ one: ['a'], two: ['b', 'c'] }), memoryChart(), { parameters });
    expect(told(rendered)).toEqual(['one: a', 'REF_UNKNOWN lab/two, b (data/i/b.yml), c (data/i/c.yml): no such ref']);
  });

  it('with values that are too large is told so, without running the chart for it', async () => {
    const chart = memoryChart();
    const rendered = await render(groupsOf({ one: ['a', 'b'] }, { extraArgs: 'x'.repeat(9 * 1024 * 1024) }), chart);
    expect(rendered.failures).toMatchObject([{ target: 'lab/one', error: { code: 'VALUES_TOO_LARGE' } }]);
    expect(rendered.failures[0]?.error.message).toContain('the values are 36.0 MiB; the limit is 16.0 MiB');
    expect(chart.renders).toEqual([]);
  });

  it('names three of its integrations and the number of the others', async () => {
    const chart = memoryChart({ fault: () => helmFault('HELM_TIMEOUT') });
    const { failures } = await render(groupsOf({ one: ['a', 'b', 'c', 'd', 'e'] }), chart);
    expect(failures[0]?.error.message).toBe(
      'lab/one, a (data/i/a.yml), b (data/i/b.yml), c (data/i/c.yml) and 2 more: no',
    );
  });

  it('by a fault of Echelon itself is not hidden', async () => {
    const chart = memoryChart({ fault: () => new TypeError('a bug') });
    await expect(render(groupsOf({ one: ['a'] }), chart)).rejects.toThrow(TypeError);
  });
});

describe('an entry that makes the chart fail', () => {
  it.each(['HELM_FAILED', 'CHART_OUTPUT'])('with %s is found, and the others are rendered together', async (code) => {
    const chart = memoryChart({ fault: (names) => (names.includes('bad') ? helmFault(code) : undefined) });
    const rendered = await render(groupsOf({ one: ['a', 'bad', 'c'] }), chart);
    expect(told(rendered)).toEqual(['one: a c', `${code} lab/one, bad (data/i/bad.yml): no`]);
    expect(chart.renders.at(-1)).toEqual(['a', 'c']);
  });

  it('in company of another: both are found', async () => {
    const fault = (names: readonly string[]) => {
      const culprit = names.find((name) => name.startsWith('bad'));
      return culprit === undefined ? undefined : helmFault('HELM_FAILED', `cannot ${culprit}`);
    };
    const rendered = await render(groupsOf({ one: ['a', 'bad-1', 'bad-2'] }), memoryChart({ fault }));
    expect(told(rendered)).toEqual([
      'one: a',
      'HELM_FAILED lab/one, bad-1 (data/i/bad-1.yml): cannot bad-1',
      'HELM_FAILED lab/one, bad-2 (data/i/bad-2.yml): cannot bad-2',
    ]);
  });

  it.each([
    { given: 'is nobody by itself', fault: (names: readonly string[]) => names.length > 1 },
    { given: 'is everybody', fault: (names: readonly string[]) => !names.includes('c') },
  ])('$given: the namespace fails as a whole', async ({ fault }) => {
    const chart = memoryChart({ fault: (names) => (fault(names) ? helmFault('HELM_FAILED') : undefined) });
    const rendered = await render(groupsOf({ one: ['a', 'b'], two: ['c'] }), chart);
    expect(told(rendered)).toEqual(['two: c', 'HELM_FAILED lab/one, a (data/i/a.yml), b (data/i/b.yml): no']);
    expect(chart.renders.toSorted()).toEqual([['a'], ['a', 'b'], ['b'], ['c']]);
  });

  it('leaves others that do not get along: they fail too, and other namespaces do not', async () => {
    const quarrel = (names: readonly string[]): boolean =>
      names.includes('bad') || (names.includes('a') && names.includes('b'));
    const chart = memoryChart({ fault: (names) => (quarrel(names) ? helmFault('HELM_FAILED') : undefined) });
    const rendered = await render(groupsOf({ one: ['a', 'b', 'bad'], two: ['c'] }), chart);
    expect(told(rendered)).toEqual([
      'two: c',
      'HELM_FAILED lab/one, bad (data/i/bad.yml): no',
      'HELM_FAILED lab/one, a (data/i/a.yml), b (data/i/b.yml): no',
    ]);
  });

  it.each(['HELM_TIMEOUT', 'HELM_NOT_FOUND', 'HELM_OUTPUT_TOO_LARGE'])(
    'is not looked for when it is %s',
    async (code) => {
      const chart = memoryChart({ fault: () => helmFault(code) });
      const rendered = await render(groupsOf({ one: ['a', 'b'] }), chart);
      expect(rendered.failures).toHaveLength(1);
      expect(chart.renders).toEqual([['a', 'b']]);
    },
  );
});

/** The namespace `ns` with entries that have so many static shards. */
function shardedIn(entries: Readonly<Record<string, number>>): readonly NamespaceGroup[] {
  const files = Object.entries(entries).map(([name, shards]) => {
    return [`/i/${name}.yml`, managedOnce({ name, sharding: { strategy: 'static', shards } })] as const;
  });
  return selectWorkloads(fleetWith(Object.fromEntries(files))).groups;
}

/** A chart of plain manifests: what it makes of the workloads that it should write. */
function manifests(change: (workloads: readonly Workload[]) => readonly object[]): MemoryChart {
  return memoryChart({ write: (values) => ({ kind: 'List', items: change(workloadsFor(values)) }) });
}

const SERVICE = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'qontract-reconcile' } };
const isOf = (name: string) => (object: Workload) => object.metadata.name.startsWith(`qontract-reconcile-${name}`);
const without =
  (...names: readonly string[]) =>
  (all: readonly Workload[]) =>
    all.filter(({ metadata }) => !names.includes(metadata.name.replace('qontract-reconcile-', '')));

describe('S8: an entry without exactly one workload for each shard', () => {
  it.each([
    { given: 'one left out', change: without('a-1'), says: 'no workload for shard 1' },
    {
      given: 'four left out',
      change: without('a-0', 'a-1', 'a-3', 'a-4'),
      says: 'no workload for shards 0, 1, 3 and 1 more',
    },
    {
      given: 'all left out',
      change: (all: readonly Workload[]) => all.filter(isOf('b')),
      says: 'no workload for shards 0, 1, 2 and 2 more',
    },
    {
      given: 'two for one by what the chart says',
      change: (all: readonly Workload[]) => [...all, workload('again', ['a', '2'])],
      says: '2 workloads for shard 2 (Deployment/again, Deployment/qontract-reconcile-a-2)',
    },
    {
      given: 'one that is said to be for another',
      change: (all: readonly Workload[]) => [...without('a-1')(all), workload('again', ['a', '2'])],
      says: 'no workload for shard 1, 2 workloads for shard 2 (Deployment/again, Deployment/qontract-reconcile-a-2)',
    },
    {
      given: 'one of another environment',
      change: (all: readonly Workload[]) => [...without('a-1')(all), workload('a-1', ['a', '1', 'elsewhere'])],
      says: 'no workload for shard 1',
    },
    {
      given: 'one that is no workload',
      change: (all: readonly Workload[]) => all.map((one) => (isOf('a-1')(one) ? { ...one, kind: 'ConfigMap' } : one)),
      says: 'no workload for shard 1',
    },
  ])('is left out with $given, found in one render, and the others stay', async ({ change, says }) => {
    const chart = manifests((all) => [...change(all), SERVICE]);
    const rendered = await render(shardedIn({ a: 5, b: 2 }), chart);
    const objects = rendered.namespaces.flatMap((namespace) => namespace.objects.map(objectKey));
    expect(objects.filter((key) => !key.startsWith('ConfigMap/'))).toEqual([
      ...['Deployment/qontract-reconcile-b-0', 'Deployment/qontract-reconcile-b-1', 'Service/qontract-reconcile'],
    ]);
    expect(rendered.failures).toMatchObject([
      {
        target: 'lab/ns',
        error: {
          code: 'CHART_OUTPUT',
          message: `lab/ns, a (data/i/a.yml): the chart rendered ${says}`,
          hint: expect.stringContaining('nothing in this namespace is deleted'),
        },
      },
    ]);
    expect(chart.renders).toEqual([['a', 'b']]);
  });

  it('is found by other names, too: a helper beside the workload of each shard', async () => {
    const helper = ({ metadata }: Workload) => workload(`${metadata.name.replace('qontract-reconcile-', '')}-helper`);
    const chart = manifests((all) => [...all, ...all.filter(isOf('a')).map(helper)]);
    expect(told(await render(shardedIn({ a: 2, b: 1 }), chart))).toEqual([
      'ns: b',
      'CHART_OUTPUT lab/ns, a (data/i/a.yml): the chart rendered 2 workloads for shard 0 (Deployment/a-0-helper, Deployment/qontract-reconcile-a-0), 2 workloads for shard 1 (Deployment/a-1-helper, Deployment/qontract-reconcile-a-1)',
    ]);
  });

  it.each([
    { given: 'a single shard', shards: { a: 1 } },
    { given: 'several shards', shards: { a: 3, b: 1 } },
  ])('is found beside a workload that is for no shard, with $given', async ({ shards }) => {
    const chart = manifests(() => [workload('for-all'), SERVICE]);
    const { namespaces, failures } = await render(shardedIn(shards), chart);
    expect(namespaces[0]?.objects.map(({ metadata }) => metadata.name)).toEqual(['for-all', 'qontract-reconcile']);
    expect(failures.map(({ error }) => error.message.replace(/:.*/, ''))).toEqual(
      Object.keys(shards).map((name) => `lab/ns, ${name} (data/i/${name}.yml)`),
    );
  });

  it.each([
    { given: 'no objects', objects: [], says: 'the chart rendered no objects' },
    { given: 'a Service only', objects: [SERVICE], says: 'the chart rendered no workloads' },
  ])('is every entry of a rendering with $given, which is one failure', async ({ objects, says }) => {
    const rendered = await render(
      shardedIn({ a: 5, b: 2 }),
      manifests(() => objects),
    );
    expect(told(rendered)).toEqual([`CHART_OUTPUT lab/ns, a (data/i/a.yml), b (data/i/b.yml): ${says}`]);
  });

  it('is still found where another one makes the chart fail', async () => {
    const chart = memoryChart({
      fault: (names) => (names.includes('bad') ? helmFault('HELM_FAILED') : undefined),
      write: (values) => ({ kind: 'List', items: without('a-1')(workloadsFor(values)) }),
    });
    expect(told(await render(shardedIn({ a: 2, b: 1, bad: 1 }), chart))).toEqual([
      'ns: b',
      'HELM_FAILED lab/ns, bad (data/i/bad.yml): no',
      'CHART_OUTPUT lab/ns, a (data/i/a.yml): the chart rendered no workload for shard 1',
    ]);
  });

  it('is exactly one of which a shard has none or two, for any number of entries, shards and workloads', async () => {
    const copies = fc.array(fc.array(fc.constantFrom(1, 1, 1, 0, 2), { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 4,
    });
    await holdsAsync(
      fc.asyncProperty(copies, async (entries) => {
        const names = entries.map((_, at) => `i${at}`);
        const groups = shardedIn(Object.fromEntries(entries.map((shards, at) => [`i${at}`, shards.length])));
        const objects = entries.flatMap((shards, at) =>
          shards.flatMap((number, shard) =>
            Array.from({ length: number }, (_, copy) => workload(`w${at}-${shard}-${copy}`, [`i${at}`, `${shard}`])),
          ),
        );
        const chart = manifests(() => [...objects, workload('for-all', ['nobody', '0']), SERVICE]);
        const { namespaces, failures } = await render(groups, chart);
        const isWhole = (name: string): boolean =>
          entries[names.indexOf(name)]?.every((number) => number === 1) === true;
        expect(failures.map(({ error }) => /(i\d) \(/.exec(error.message)?.[1])).toEqual(
          names.filter((name) => !isWhole(name)),
        );
        const found = namespaces[0]?.objects.map((object) => identityOf(object)?.integration) ?? [];
        expect(new Set(found)).toEqual(new Set([...names.filter(isWhole), 'nobody', undefined]));
      }),
      { numRuns: 60 },
    );
  });
});

describe('no fault', () => {
  it.each([
    { given: 'other objects', more: [SERVICE, { ...SERVICE, kind: 'ConfigMap' }] },
    { given: 'a workload that says it is for something that was not asked for', more: [workload('x', ['other', '0'])] },
    { given: 'two that say it', more: [workload('x', ['other', '0']), workload('y', ['other', '0'])] },
    { given: 'a workload for all', more: [workload('for-all')] },
  ])('is $given', async ({ more }) => {
    for (const shards of [1, 3]) {
      const { namespaces, failures } = await render(
        shardedIn({ a: shards }),
        manifests((all) => [...all, ...more]),
      );
      expect(failures).toEqual([]);
      expect(namespaces[0]?.objects).toHaveLength(shards + more.length);
    }
  });

  const zones = selectWorkloads(
    fleetWith({
      '/cloudflare/second.yml': { $schema: '/cloudflare/account-1.yml', name: 'second' },
      '/zones/web-2.yml': zone('web', { account: ref('/cloudflare/second.yml') }),
      '/i/a.yml': managedOnce({ name: 'a', sharding: { strategy: 'per-cloudflare-zone' } }),
    }),
  ).groups;

  it('is a name that two shards share, as long as both have a workload', async () => {
    const all = await render(zones, memoryChart());
    expect(told(all)).toEqual(['ns: a-lost a-main-web a-second-web']);
    expect(all.namespaces[0]?.objects.map((object) => identityOf(object)?.shard)).toEqual(['lost', 'web', 'web']);
    expect(told(await render(zones, manifests(without('a-second-web'))))).toEqual([
      'ns: ',
      'CHART_OUTPUT lab/ns, a (data/i/a.yml): the chart rendered 1 workload for the 2 shards named web (Deployment/qontract-reconcile-a-main-web)',
    ]);
  });
});

describe('what was rendered before', () => {
  const groups = groupsOf({ one: ['a'], two: ['b'] });
  const renderedAgain = async (
    first: Partial<RenderOptions>,
    second: Partial<RenderOptions> & { chart?: MemoryChart },
  ) => {
    const cache = memoryCache();
    const before = await render(groups, memoryChart(), { cache, ...first });
    const chart = second.chart ?? memoryChart();
    const after = await render(groups, chart, { cache, ...second });
    return { before, after, renders: chart.renders };
  };

  it('is not rendered again, and is the same', async () => {
    const { before, after, renders } = await renderedAgain({}, {});
    expect(renders).toEqual([]);
    expect(after).toEqual(before);
  });

  it.each([
    {
      given: 'a variable that no template declares',
      sources: { ...NOTHING, process: { HOME: '/elsewhere' } },
      renders: 0,
    },
    {
      given: 'another value of one that it declares',
      sources: { ...NOTHING, process: { LOG_LEVEL: 'DEBUG' } },
      renders: 2,
    },
    { given: 'another tag', sources: { ...NOTHING, version: { tag: 'f929a38' } }, renders: 2 },
    { given: 'another image', sources: { ...NOTHING, image: 'quay.io/x/y' }, renders: 2 },
  ])('is rendered $renders times with $given', async ({ sources, renders }) => {
    expect((await renderedAgain({}, { parameters: () => sources })).renders).toHaveLength(renders);
  });

  it('is rendered again by another chart', async () => {
    expect((await renderedAgain({}, { chart: memoryChart({ identity: 'other' }) })).renders).toHaveLength(2);
  });

  it('is rendered again only where an integration changed', async () => {
    const cache = memoryCache();
    const chart = memoryChart();
    await render(groupsOf({ one: ['a'], two: ['b'] }), chart, { cache });
    chart.renders.length = 0;
    await render(groupsOf({ one: ['a'], two: ['b', 'c'] }), chart, { cache });
    expect(chart.renders).toEqual([['b', 'c']]);
  });

  it('and failed is not remembered', async () => {
    const cache = memoryCache();
    await render(groups, memoryChart({ fault: () => helmFault('HELM_TIMEOUT') }), { cache });
    const chart = memoryChart();
    expect((await render(groups, chart, { cache })).failures).toEqual([]);
    expect(chart.renders).toHaveLength(2);
  });

  it('without the workload of a shard is not remembered', async () => {
    const cache = memoryCache();
    const broken = await render(
      groups,
      manifests((all) => [...all.filter(isOf('b')), SERVICE]),
      { cache },
    );
    expect(broken.failures).toMatchObject([{ target: 'lab/one' }]);
    const chart = memoryChart();
    expect(told(await render(groups, chart, { cache }))).toEqual(['one: a', 'two: b qontract-reconcile']);
    expect(chart.renders).toEqual([['a']]);
  });

  it.each([
    { given: 'nothing', left: () => false },
    { given: 'a Service', left: ({ kind }: KubeObject) => kind === 'Service' },
    { given: 'all shards but one', left: ({ metadata }: KubeObject) => !metadata.name.endsWith('-a-1') },
  ])('is rendered again where the cache has $given', async ({ left }) => {
    const stored = new Map<string, object>();
    const cache = {
      get: (key: string) => stored.get(key),
      set: (key: string, value: object) => stored.set(key, value),
    };
    const fleet = shardedIn({ a: 3, b: 1 });
    const whole = await render(
      fleet,
      manifests((all) => [...all, SERVICE]),
      { cache },
    );
    const emptied = (): void => {
      for (const [key, value] of stored) {
        if ('objects' in value) stored.set(key, { ...value, objects: (value.objects as KubeObject[]).filter(left) });
      }
    };
    emptied();
    const chart = manifests((all) => [...all, SERVICE]);
    expect(await render(fleet, chart, { cache })).toEqual(whole);
    expect(chart.renders).toEqual([['a', 'b']]);
    emptied();
    const gone = await render(fleet, memoryChart({ fault: () => helmFault('HELM_NOT_FOUND') }), { cache });
    expect(gone).toMatchObject({ namespaces: [], failures: [{ target: 'lab/ns', error: { code: 'HELM_NOT_FOUND' } }] });
  });

  it('for one namespace is not taken for another with the same values', async () => {
    const cache = memoryCache();
    const [one, two] = groupsOf({ one: ['a'], two: ['a'] });
    await render([one!], memoryChart(), { cache });
    const { namespaces } = await render([two!], memoryChart(), { cache });
    expect(namespaces.map(({ namespace, objects }) => [namespace, objects[0]?.metadata.namespace])).toEqual([
      ['two', 'two'],
    ]);
  });
});

describe('an abort', () => {
  it('before it began renders nothing', async () => {
    const chart = memoryChart();
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(render(groupsOf({ one: ['a'] }), chart, { signal })).rejects.toThrow('enough');
    expect(chart.renders).toEqual([]);
  });

  it('in between begins no other namespace', async () => {
    const control = new AbortController();
    const names = Array.from({ length: 12 }, (_, index) => `n${index + 10}`);
    const chart = memoryChart({ before: () => control.abort(new Error('enough')) });
    const groups = groupsOf(Object.fromEntries(names.map((name) => [name, [`i-${name}`]])));
    await expect(render(groups, chart, { signal: control.signal })).rejects.toThrow('enough');
    expect(chart.renders.length).toBeLessThanOrEqual(4);
  });
});
