import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { type ApiObject, NOTHING_SHARED, pathOf, resourceOf, type SharedObjects, sharing } from './list-objects.ts';

describe('the path of', () => {
  it.each([
    { what: 'a list', kind: 'Deployment', where: ['ns'], path: '/apis/apps/v1/namespaces/ns/deployments' },
    { what: 'an object', kind: 'CronJob', where: ['ns', 'a'], path: '/apis/batch/v1/namespaces/ns/cronjobs/a' },
    { what: 'a kind of the core', kind: 'Service', where: ['ns', 'a'], path: '/api/v1/namespaces/ns/services/a' },
    { what: 'all namespaces', kind: 'StatefulSet', where: [], path: '/apis/apps/v1/statefulsets' },
    {
      what: 'a lease',
      kind: 'Lease',
      where: ['ns', 'a'],
      path: '/apis/coordination.k8s.io/v1/namespaces/ns/leases/a',
    },
    {
      what: 'a name that is none of a path',
      kind: 'Pod',
      where: ['n/s', 'a?b=c#d%2e'],
      path: '/api/v1/namespaces/n%2Fs/pods/a%3Fb%3Dc%23d%252e',
    },
  ])('$what', ({ kind, where, path }) => {
    const [namespace, name] = where;
    expect(pathOf(resourceOf(kind), namespace, name)).toBe(path);
  });

  // The path of no name is that of the whole list, and deleting that deletes everything in it.
  it.each([
    { namespace: 'ns', name: '' },
    { namespace: 'ns', name: '.' },
    { namespace: 'ns', name: '..' },
    { namespace: '', name: 'a' },
    { namespace: '..', name: 'a' },
    { namespace: '', name: undefined },
  ])('the object "$name" in "$namespace" is refused', ({ namespace, name }) => {
    expect(() => pathOf(resourceOf('Deployment'), namespace, name)).toThrow('is not the name of an object');
  });
});

it('a kind that the client has no use for is a fault of its caller', () => {
  expect(() => resourceOf('Secret')).toThrow('the client does not know the kind Secret');
});

type Spec = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => JSON.stringify(value);
const objectOf = (name: string, spec: unknown): ApiObject =>
  JSON.parse(text({ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'ns' }, spec }));
const pod = (image: string) => ({ containers: [{ name: 'int', image, env: [{ name: 'A', value: '1' }] }] });

function shared(objects: readonly ApiObject[], before = NOTHING_SHARED): SharedObjects {
  const { add, all } = sharing(before);
  for (const object of objects) add(object);
  return all;
}
const specs = ({ objects }: SharedObjects): Spec[] => objects.map((object) => object['spec'] as Spec);
const total = ({ bytes }: SharedObjects): number => bytes.reduce((sum, size) => sum + size, 0);

describe('objects that share their parts', () => {
  it('are what they were, whatever was there before, which stays as it was', () => {
    const names = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.json()), { maxLength: 6 });
    holds(
      fc.property(names, names, (first, second) => {
        const [one, other] = [first, second].map((list) =>
          list.map(([name, json]) => objectOf(name, JSON.parse(json))),
        );
        const expected = [text(one), text(other)];
        const before = shared(one ?? []);
        const after = shared(other ?? [], before);
        expect([text(before.objects), text(after.objects)]).toEqual(expected);
      }),
    );
  });

  it('have what is equal in one and the next once', () => {
    const [one, other] = specs(
      shared([objectOf('a', { pod: pod('x'), n: 1 }), objectOf('b', { pod: pod('x'), n: 2 })]),
    );
    expect(other).not.toBe(one);
    expect(other?.['pod']).toBe(one?.['pod']);
  });

  it('are those before where nothing changed, in any order, and share the rest with them', () => {
    const list = (image: string) => [objectOf('a', pod('x')), objectOf('b', pod(image)), objectOf('c', pod('x'))];
    const before = shared(list('x'));
    const after = shared(list('y').reverse(), before);
    expect([after.objects[0], after.objects[2]]).toEqual([before.objects[2], before.objects[0]]);
    expect(after.objects[0]).toBe(before.objects[2]);
    expect(after.objects[2]).toBe(before.objects[0]);
    expect(text(after.objects[1])).toContain('"image":"y"');
    expect(after.objects[1]?.metadata).toBe(before.objects[1]?.metadata);
  });

  it.each([
    { one: [], other: {} },
    { one: { 0: 'a' }, other: ['a'] },
    { one: { a: 1, b: 2 }, other: { b: 2, a: 1 } },
    { one: { a: 1 }, other: { a: 1, b: 2 } },
    { one: { a: 1, b: 2 }, other: { a: 1 } },
    { one: { a: null }, other: { b: null } },
    { one: '1', other: 1 },
    { one: null, other: {} },
  ])('do not take $one for $other', ({ one, other }) => {
    for (const [first, second] of [
      [one, other],
      [other, one],
    ]) {
      const list = [objectOf('a', { part: first }), objectOf('b', { part: second })];
      expect(text(shared(list).objects)).toBe(text([objectOf('a', { part: first }), objectOf('b', { part: second })]));
    }
  });

  it('have fields of any name', () => {
    const odd = (name: string) => objectOf(name, JSON.parse('{"__proto__":{},"constructor":{},"toString":1}'));
    const list = [objectOf('a', {}), odd('b'), odd('c')];
    expect(text(shared(list).objects)).toBe(text([objectOf('a', {}), odd('b'), odd('c')]));
  });

  it('may be nested deeper than calls can be', () => {
    const deep = (): unknown => {
      let value: unknown = 1;
      for (let depth = 0; depth < 100_000; depth += 1) value = [value];
      return value;
    };
    const object = (name: string): ApiObject => ({ ...objectOf(name, {}), spec: deep() });
    expect(shared([object('a'), object('b')], shared([object('a')])).objects).toHaveLength(2);
  });

  it('are counted with what each has alone, also after many lists', () => {
    const list = (count: number, image = 'x') =>
      Array.from({ length: count }, (_, at) => objectOf(`a${at}`, { ...pod(image), text: 'y'.repeat(1_000), at }));
    const [one, many] = [shared(list(1)), shared(list(101))];
    const each = (total(many) - total(one)) / 100;
    expect(total(one)).toBeGreaterThan(1_000);
    expect(each).toBeGreaterThan(50);
    expect(each).toBeLessThan(500);
    expect(total(shared(list(101), many))).toBe(total(many));
    const last = ['x', 'y', 'x', 'y'].reduce((all, image) => shared(list(101, image), all), many);
    expect(total(last)).toBeGreaterThan(total(many));
    expect(total(last)).toBeLessThan(101 * total(one));
  });
});
