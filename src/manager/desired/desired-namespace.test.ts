import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fleetWith } from '../../../test/support/fleet.ts';
import { holds } from '../../../test/support/property.ts';
import { desiredNamespace, type KubeObject, placedObject } from './desired-namespace.ts';

const [NAMESPACE] = fleetWith({}).namespaces;

const object = (kind: string, name: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name },
  ...more,
});

function image(text: unknown): unknown {
  const spec = { template: { spec: { containers: [{ name: 'int', image: text }] } } };
  const placed = placedObject(object('Deployment', 'x', { spec }), 'ns') as unknown as { spec: typeof spec };
  return placed.spec.template.spec.containers[0]?.image;
}

describe('the objects of a namespace', () => {
  it('say where they belong, and are ordered by kind and name', () => {
    const objects = [
      object('Service', 'b'),
      object('Deployment', 'b'),
      object('Deployment', 'a'),
      object('CronJob', 'z'),
    ];
    const { objects: desired, ...rest } = desiredNamespace(NAMESPACE!, objects);
    expect(rest).toEqual({
      cluster: 'lab',
      namespace: 'ns',
      file: '/ns.yml',
      environment: NAMESPACE!.environment.name,
    });
    expect(desired.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)).toEqual([
      'CronJob ns/z',
      'Deployment ns/a',
      'Deployment ns/b',
      'Service ns/b',
    ]);
  });

  it('do not depend on the order in which a chart writes them', () => {
    const objects = ['a', 'b', 'c', 'd'].flatMap((name) => [object('Deployment', name), object('Service', name)]);
    const expected = desiredNamespace(NAMESPACE!, objects);
    holds(
      fc.property(fc.shuffledSubarray(objects, { minLength: objects.length }), (shuffled) => {
        expect(desiredNamespace(NAMESPACE!, shuffled)).toEqual(expected);
      }),
    );
  });

  it('of one kind and name twice are refused', () => {
    const objects = [object('Service', 'a'), object('Deployment', 'a'), object('Service', 'b'), object('Service', 'a')];
    expect(() => desiredNamespace(NAMESPACE!, objects)).toThrow(
      expect.objectContaining({ code: 'CHART_OUTPUT', message: 'the chart rendered Service a twice for lab/ns' }),
    );
  });
});

describe('an object in its place', () => {
  it.each([
    { given: 'none', metadata: { name: 'x' } },
    { given: 'another', metadata: { name: 'x', namespace: 'elsewhere' } },
  ])('has the namespace that it is rendered for, written down: $given', ({ metadata }) => {
    expect(placedObject({ ...object('Service', 'x'), metadata }, 'ns').metadata).toEqual({
      name: 'x',
      namespace: 'ns',
    });
  });

  it('has no namespace where none is named, and keeps labels and annotations', () => {
    const metadata = { namespace: 'elsewhere', labels: { a: 'b' }, annotations: { c: 'd' }, name: 'x' };
    expect(placedObject({ ...object('Service', 'x'), metadata }, undefined).metadata).toEqual({
      name: 'x',
      labels: { a: 'b' },
      annotations: { c: 'd' },
    });
  });
});

describe('an image', () => {
  it.each([
    { text: 'quay.io/a/b:latest@', result: 'quay.io/a/b:latest' },
    { text: 'quay.io/a/b:latest', result: 'quay.io/a/b:latest' },
    { text: 'quay.io/a/b:latest@sha256:1', result: 'quay.io/a/b:latest@sha256:1' },
    { text: 'user@host/b:x', result: 'user@host/b:x' },
    { text: 7, result: 7 },
  ])('$text is $result', ({ text, result }) => {
    expect(image(text)).toBe(result);
  });

  it('is the only thing that loses an @ at its end', () => {
    const spec = { args: ['x@'], env: [{ name: 'A', value: 'b@' }] };
    expect(placedObject(object('Deployment', 'x', { spec }), 'ns')['spec']).toEqual(spec);
  });
});
