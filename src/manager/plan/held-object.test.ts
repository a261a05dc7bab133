import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../desired/desired-namespace.ts';
import type { chosenObject } from './chosen-image.ts';
import { differences } from './differences.ts';
import { ownedPart } from './owned-part.ts';
import { planNamespace } from './plan.ts';
import { removals } from './removals.ts';

const OLD = 'quay.io/acme/reconciler:0000001';
const NEW = 'quay.io/acme/reconciler:0000002';
const PLACE = { cluster: 'c', namespace: 'n' };
const CALLER = 'https://example.com/upstream';

interface Given {
  readonly image?: string;
  readonly replicas?: number;
  readonly args?: readonly string[];
  readonly cpu?: string;
  readonly shard?: string;
}

function workload({ image = NEW, replicas = 1, args = ['a'], cpu = '1', shard = 's' }: Given = {}): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'w',
      namespace: 'n',
      annotations: { 'echelon/integration': 'i', 'echelon/shard': shard, 'echelon/environment': 'e' },
    },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'w' } },
      template: {
        metadata: { labels: { app: 'w' } },
        spec: {
          containers: [
            {
              ...{ name: 'int', image, args, resources: { limits: { cpu } } },
              env: [
                { name: 'IMAGE_TAG', value: image.split(':')[1] },
                { name: 'LOG', value: 'x' },
              ],
            },
            { name: 'logs', image: 'quay.io/acme/logs:1' },
          ],
        },
      },
    },
  };
}

/** As the server shows it after an apply: with the applier's fields, defaults, and what others added. */
function applied(object: KubeObject): KubeObject {
  const [planned] = planNamespace(
    { ...PLACE, file: '', environment: 'e', objects: [object] },
    { ...PLACE, objects: [] },
    { caller: CALLER },
  );
  if (planned?.action !== 'create') throw new Error('it is not created');
  const written = structuredClone(planned.object) as KubeObject & {
    spec: { template: { spec: Record<string, unknown> } };
  };
  const managedFields = [
    { manager: 'echelon', operation: 'Apply', apiVersion: 'apps/v1', fieldsV1: fieldsOf(written) },
    {
      manager: 'somebody',
      operation: 'Update',
      apiVersion: 'apps/v1',
      fieldsV1: { 'f:metadata': { 'f:labels': { 'f:theirs': {} } } },
    },
  ];
  const labels = { ...(written.metadata['labels'] as object), theirs: 'x' };
  const { template, ...spec } = written.spec;
  return {
    ...written,
    metadata: { ...written.metadata, labels, uid: 'u', resourceVersion: '7', managedFields },
    spec: {
      ...spec,
      progressDeadlineSeconds: 600,
      template: { ...template, spec: { ...template.spec, dnsPolicy: 'ClusterFirst' } },
    },
  };
}

function fieldsOf(value: unknown, inMetadata = false): Record<string, unknown> {
  if (Array.isArray(value)) {
    if (!value.every((item) => typeof item === 'object' && 'name' in item)) return {};
    return Object.fromEntries(
      value.map((item) => [`k:${JSON.stringify({ name: item.name })}`, { '.': {}, ...fieldsOf(item) }]),
    );
  }
  if (typeof value !== 'object' || value === null) return {};
  const skipped = inMetadata ? ['name', 'namespace'] : ['apiVersion', 'kind'];
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !skipped.includes(key))
      .map(([key, child]) => [`f:${key}`, fieldsOf(child, key === 'metadata')]),
  );
}

const HOLD = { kind: 'hold', target: NEW, reason: 'wave early is closed' } as const;

function planOf(desired: KubeObject, live: KubeObject | undefined, choice: Parameters<typeof chosenObject>[2]) {
  const [item] = planNamespace(
    { ...PLACE, file: '', environment: 'e', objects: [desired] },
    { ...PLACE, objects: live === undefined ? [] : [live] },
    { caller: CALLER, images: () => choice },
  );
  return item;
}

const live = applied(workload({ image: OLD }));

describe('what Echelon applied to an object', () => {
  it('changes nothing and removes nothing when it is applied again', () => {
    const part = ownedPart(live)!;
    expect(differences(live, part)).toEqual([]);
    expect(removals(live, part, false)).toEqual([]);
    expect(JSON.stringify(part)).not.toMatch(/theirs|progressDeadline|dnsPolicy|managedFields|resourceVersion/);
  });

  it('is unknown where it applied nothing', () => {
    expect(ownedPart(workload())).toBeUndefined();
  });
});

describe('A1: a held workload', () => {
  it('is not written, and what waits with it is told', () => {
    const item = planOf(workload({ args: ['b'] }), live, HOLD);
    expect(item).toMatchObject({ action: 'hold', image: OLD, target: NEW, reason: 'wave early is closed' });
    const paths = item?.action === 'hold' ? item.waits.map(({ path }) => path) : [];
    expect(paths).toEqual(
      expect.arrayContaining([
        'spec.template.spec.containers[int].args[0]',
        'spec.template.spec.containers[int].image',
        'spec.template.spec.containers[int].env[IMAGE_TAG].value',
      ]),
    );
  });

  it.each([
    { what: 'replicas', given: { replicas: 2 }, path: 'spec.replicas' },
    { what: 'resources', given: { cpu: '2' }, path: 'spec.template.spec.containers[int].resources.limits.cpu' },
    { what: 'the identity', given: { shard: 't' }, path: 'metadata.annotations.echelon/shard' },
  ])('gets $what, and keeps everything else', ({ given, path }) => {
    const item = planOf(workload({ args: ['b'], ...given }), live, HOLD);
    if (item?.action !== 'update') throw new Error(`it is ${item?.action}`);
    expect(item.differences.map((one) => one.path)).toEqual([path]);
    expect(JSON.stringify(item.object)).toContain(OLD);
    expect(JSON.stringify(item.object)).not.toContain(NEW);
  });

  it('without an object gets none', () => {
    expect(planOf(workload(), undefined, HOLD)).toMatchObject({ action: 'hold', waits: [] });
  });

  it('that somebody else applied is not touched at all', () => {
    const foreign = { ...live, metadata: { ...live.metadata, managedFields: [] } };
    expect(planOf(workload({ replicas: 2 }), foreign, HOLD)).toMatchObject({ action: 'hold' });
  });
});

describe('a return', () => {
  const failed = applied(workload({ image: NEW, args: ['b'] }));
  const BACK = { kind: 'write', image: OLD, from: NEW, reason: 'it failed' } as const;

  it('changes the image and its variables alone', () => {
    const item = planOf(workload({ args: ['c'] }), failed, BACK);
    if (item?.action !== 'update') throw new Error(`it is ${item?.action}`);
    expect(item.differences.map(({ path }) => path).toSorted()).toEqual([
      'spec.template.spec.containers[int].env[IMAGE_TAG].value',
      'spec.template.spec.containers[int].image',
    ]);
  });

  it('D8: of a workload that somebody scaled to 0 is written, and it stays at 0', () => {
    const { metadata, spec } = structuredClone(failed) as KubeObject & { spec: object };
    for (const { fieldsV1 } of metadata['managedFields'] as { fieldsV1: { 'f:spec'?: Record<string, unknown> } }[])
      delete fieldsV1['f:spec']?.['f:replicas'];
    const stopped = { ...failed, metadata, spec: { ...spec, replicas: 0 } };
    expect(planOf(workload(), stopped, { ...HOLD, target: NEW })).toMatchObject({ action: 'conflict' });
    const item = planOf(workload({ args: ['c'] }), stopped, BACK);
    if (item?.action !== 'update') throw new Error(`it is ${item?.action}`);
    expect(item.differences.map(({ path }) => path).toSorted()).toEqual([
      'spec.template.spec.containers[int].env[IMAGE_TAG].value',
      'spec.template.spec.containers[int].image',
    ]);
    expect(item.object['spec']).not.toHaveProperty('replicas');
  });

  it('A4: is written only over the failed target', () => {
    expect(planOf(workload(), applied(workload({ image: 'quay.io/acme/reconciler:0000003' })), BACK)).toMatchObject({
      action: 'hold',
      reason: `it does not run ${NEW} any more, but quay.io/acme/reconciler:0000003`,
    });
  });

  it('D10: a workload without an object begins with the image that is given', () => {
    const item = planOf(workload(), undefined, { kind: 'write', image: OLD, reason: 'stable' });
    if (item?.action !== 'create') throw new Error(`it is ${item?.action}`);
    expect(JSON.stringify(item.object)).toContain(OLD);
    expect(JSON.stringify(item.object)).not.toContain(NEW);
  });
});
