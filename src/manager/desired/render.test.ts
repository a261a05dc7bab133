import { describe, expect, it } from 'vitest';
import { fleetWith } from '../../../test/support/fleet.ts';
import { integration, leanNamespace, managedIn } from '../../../test/support/hand-made-snapshot.ts';
import { helmFault, type MemoryChart, memoryChart } from '../../../test/support/memory-chart.ts';
import type { NamespaceGroup } from './group.ts';
import type { ParameterSources } from './parameters.ts';
import { type Rendered, type RenderOptions, renderGroups } from './render.ts';
import { memoryCache } from './render-memory.ts';
import { selectWorkloads } from './select.ts';

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
    const { namespaces } = await render(groupsOf({ one: ['a'] }), memoryChart({ write: () => manifest }));
    expect(namespaces[0]?.objects).toEqual([{ ...manifest, metadata: { name: 's', namespace: 'one' } }]);
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
