import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import type { Json } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { type FieldManager, packedManagers } from './field-owners.ts';
import { formerManagers, migratedManagers, union, wasHandedBack } from './take-over.ts';

type Entry = Partial<FieldManager> & { readonly manager: string };

function managed(...managers: readonly Entry[]): KubeObject {
  const managedFields = managers.map((entry) => ({ operation: 'Update', apiVersion: 'apps/v1', ...entry }));
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a', managedFields } };
}

const IMAGE = { 'f:spec': { 'f:image': {} } };
const REPLICAS = { 'f:spec': { 'f:replicas': {} } };

describe('former managers', () => {
  it.each<{ given: string; entry: Entry; is: boolean }>([
    { given: 'kubectl apply', entry: { manager: 'kubectl-client-side-apply' }, is: true },
    { given: 'a server-side apply', entry: { manager: 'argocd', operation: 'Apply' }, is: true },
    { given: 'the existing manager', entry: { manager: 'oc' }, is: true },
    { given: 'an update of our own', entry: { manager: 'echelon', operation: 'Update' }, is: true },
    { given: 'our own apply', entry: { manager: 'echelon', operation: 'Apply' }, is: false },
    { given: 'the controllers of Kubernetes', entry: { manager: 'kube-controller-manager' }, is: false },
    { given: 'a tool that deploys', entry: { manager: 'argocd-controller' }, is: true },
    { given: 'an autoscaler', entry: { manager: 'cluster-proportional-autoscaler' }, is: false },
    { given: 'whoever writes the status', entry: { manager: 'kubectl', subresource: 'status' }, is: false },
    { given: 'whoever scales', entry: { manager: 'kubectl', subresource: 'scale' }, is: false },
    {
      given: 'a manager of another version of the API',
      entry: { manager: 'old', apiVersion: 'apps/v1beta1' },
      is: false,
    },
  ])('are everybody who applied or edited: $given $is', ({ entry, is }) => {
    expect(formerManagers(managed({ ...entry, fieldsV1: IMAGE }))).toEqual(is ? [entry.manager] : []);
  });

  it('are named once', () => {
    expect(
      formerManagers(managed({ manager: 'oc' }, { manager: 'oc', operation: 'Apply' }, { manager: 'helm' })),
    ).toEqual(['oc', 'helm']);
  });
});

describe('former managers of an object that was taken over before', () => {
  const OWN: Entry = { manager: 'echelon', operation: 'Apply', fieldsV1: { 'f:metadata': {} } };
  const annotated = (name: string): Json => ({ ...IMAGE, 'f:metadata': { 'f:annotations': { [`f:${name}`]: {} } } });
  it.each<{ given: string; entry: Entry; is: boolean }>([
    { given: 'an existing manager', entry: { manager: 'oc', fieldsV1: annotated('qontract.update') }, is: true },
    { given: 'one by another name', entry: { manager: 'x', fieldsV1: annotated('qontract.sha256sum') }, is: true },
    { given: 'an edit by hand', entry: { manager: 'kubectl-edit', fieldsV1: IMAGE }, is: false },
    { given: 'another annotation', entry: { manager: 'oc', fieldsV1: annotated('example.com/x') }, is: false },
    {
      given: 'a subresource',
      entry: { manager: 'oc', subresource: 'scale', fieldsV1: annotated('qontract.update') },
      is: false,
    },
  ])('are those who wrote it as a manager does: $given $is', ({ entry, is }) => {
    const object = managed(OWN, entry);
    expect(formerManagers(object)).toEqual(is ? [entry.manager] : []);
    expect([wasHandedBack(object), wasHandedBack(packedManagers(object))]).toEqual([is, is]);
    expect(migratedManagers(object).map(({ manager }) => manager)).toEqual(
      is ? ['echelon'] : [entry.manager, 'echelon'],
    );
  });

  it('are none where Echelon never was', () => {
    expect(wasHandedBack(managed({ manager: 'oc', fieldsV1: annotated('qontract.update') }))).toBe(false);
  });
});

describe('managers after the object was taken over', () => {
  it('are Echelon, with the fields of all former ones, and whoever goes on', () => {
    const controller = { manager: 'kube-controller-manager', subresource: 'status', fieldsV1: { 'f:status': {} } };
    const object = managed(
      { manager: 'oc', fieldsV1: IMAGE },
      controller,
      { manager: 'echelon', operation: 'Update', fieldsV1: { 'f:metadata': {} } },
      { manager: 'helm', operation: 'Apply', fieldsV1: REPLICAS },
    );
    expect(migratedManagers(object)).toEqual([
      { operation: 'Update', apiVersion: 'apps/v1', ...controller },
      {
        manager: 'echelon',
        operation: 'Apply',
        apiVersion: 'apps/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:image': {}, 'f:replicas': {} }, 'f:metadata': {} },
      },
    ]);
  });

  it('are as before where nobody is to be taken over', () => {
    const object = managed({ manager: 'kube-controller-manager', fieldsV1: REPLICAS });
    expect(migratedManagers(object)).toEqual(object.metadata['managedFields']);
    expect(migratedManagers({ ...object, metadata: { name: 'a' } })).toEqual([]);
  });

  it('taken over once more are the same', () => {
    const once = migratedManagers(managed({ manager: 'oc', fieldsV1: IMAGE }, { manager: 'helm', fieldsV1: REPLICAS }));
    const again = { ...managed(), metadata: { name: 'a', managedFields: once } };
    expect(migratedManagers(again)).toEqual(once);
  });
});

describe('both trees in one', () => {
  type Tree = { readonly [key: string]: Tree };
  const below = (depth: number): fc.Arbitrary<Tree> => {
    if (depth === 0) return fc.constant({});
    const children = fc.dictionary(fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}'), below(depth - 1), { maxKeys: 3 });
    const tree = fc.tuple(children, fc.boolean());
    return tree.map(([own, itself]) => (itself && Object.keys(own).length > 0 ? { '.': {}, ...own } : own));
  };
  /** The fields that a tree holds: its ends, and what has a dot of its own. */
  const fieldsOf = (node: Tree, at = ''): string[] =>
    Object.entries(node).flatMap(([key, child]) => {
      if (key === '.') return at === '' ? [] : [at];
      return Object.keys(child).length === 0 ? [`${at}/${key}`] : fieldsOf(child, `${at}/${key}`);
    });

  it('hold exactly the fields of either, and neither is changed', () => {
    holds(
      fc.property(below(3), below(3), (a, b) => {
        const before = JSON.stringify([a, b]);
        expect(new Set(fieldsOf(union(a, b) as Tree))).toEqual(new Set([...fieldsOf(a), ...fieldsOf(b)]));
        expect(JSON.stringify([a, b])).toBe(before);
      }),
    );
  });

  it('keep a field that is an end of one and has something below it in the other', () => {
    expect(union({ 'f:emptyDir': {} }, { 'f:emptyDir': { 'f:sizeLimit': {} } })).toEqual({
      'f:emptyDir': { '.': {}, 'f:sizeLimit': {} },
    });
  });
});
