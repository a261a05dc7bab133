import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../desired/desired-namespace.ts';
import type { Step } from './differences.ts';
import { type FieldManager, holdersOf, isApplied, managersOf, packedManagers } from './field-owners.ts';

function managed(...managers: readonly (Partial<FieldManager> & { manager: string })[]): KubeObject {
  const managedFields = managers.map((entry) => ({ operation: 'Update', apiVersion: 'apps/v1', ...entry }));
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a', managedFields } };
}

/** The fields of one manager, held by `other`. */
const held = (fieldsV1: object): KubeObject => managed({ manager: 'other', fieldsV1: fieldsV1 as never });

describe('whether Echelon applied an object', () => {
  it.each([
    { given: 'its apply', entry: { manager: 'echelon', operation: 'Apply' }, is: true },
    { given: 'its update', entry: { manager: 'echelon', operation: 'Update' }, is: false },
    {
      given: 'its apply of the status',
      entry: { manager: 'echelon', operation: 'Apply', subresource: 'status' },
      is: false,
    },
    { given: "somebody's apply", entry: { manager: 'argocd', operation: 'Apply' }, is: false },
    { given: 'a manager of a similar name', entry: { manager: 'echelon-2', operation: 'Apply' }, is: false },
  ])('$given: $is', ({ entry, is }) => {
    expect(isApplied(managed({ manager: 'first', operation: 'Apply' }, entry))).toBe(is);
  });

  it('is no while fields of it are of nobody that the server knows', () => {
    const own = { manager: 'echelon', operation: 'Apply' };
    expect(isApplied(managed(own, { manager: 'before-first-apply' }))).toBe(false);
    expect(isApplied(managed(own, { manager: 'kubectl' }))).toBe(true);
  });

  it.each([undefined, null, 'x', {}])('is no where nobody is known: %j', (managedFields) => {
    const object = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', managedFields } };
    expect(managersOf(object)).toEqual([]);
    expect(isApplied(object)).toBe(false);
    expect(holdersOf(object, ['spec'])).toEqual([]);
  });
});

const INT: Step = { key: 'name', value: 'int' };
const CONTAINERS = {
  'f:spec': {
    'f:containers': {
      'k:{"name":"int"}': {
        '.': {},
        'f:name': {},
        'f:image': {},
        'f:args': {},
        'f:ports': {
          '.': {},
          'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {}, 'f:hostPort': {} },
        },
      },
      'k:{"name":"proxy"}': { '.': {}, 'f:image': {} },
    },
  },
};

describe('who holds a field', () => {
  it.each<{ given: string; steps: readonly Step[]; is: boolean }>([
    { given: 'a field', steps: ['spec', 'containers', INT, 'image'], is: true },
    { given: 'a field beside it', steps: ['spec', 'containers', INT, 'tty'], is: false },
    {
      given: 'the same field of another item',
      steps: ['spec', 'containers', { key: 'name', value: 'x' }, 'image'],
      is: false,
    },
    { given: 'a part of a list that is one value', steps: ['spec', 'containers', INT, 'args', { index: 3 }], is: true },
    { given: 'what they hold a part of', steps: ['spec', 'containers', INT], is: true },
    { given: 'everything', steps: [], is: true },
    { given: 'a field elsewhere', steps: ['metadata', 'labels', 'a'], is: false },
    { given: 'a place in a list with keys', steps: ['spec', 'containers', { index: 0 }, 'image'], is: false },
    {
      given: 'an item that two keys tell apart',
      steps: ['spec', 'containers', INT, 'ports', { key: 'containerPort', value: 80 }, 'hostPort'],
      is: true,
    },
    {
      given: 'an item whose key is a number, asked for as text',
      steps: ['spec', 'containers', INT, 'ports', { key: 'containerPort', value: '80' }, 'hostPort'],
      is: false,
    },
  ])('of $given: $is', ({ steps, is }) => {
    expect(holdersOf(held(CONTAINERS), steps)).toEqual(is ? ['other'] : []);
  });

  it('knows names with dots and strokes', () => {
    const object = held({ 'f:metadata': { 'f:annotations': { '.': {}, 'f:example.com/a.b': {} } } });
    expect(holdersOf(object, ['metadata', 'annotations', 'example.com/a.b'])).toEqual(['other']);
    expect(holdersOf(object, ['metadata', 'annotations', 'example'])).toEqual([]);
  });

  it('names each other manager once, and never Echelon', () => {
    const fieldsV1 = { 'f:spec': { 'f:replicas': {} } };
    const object = managed(
      { manager: 'echelon', operation: 'Apply', fieldsV1 },
      { manager: 'echelon', operation: 'Update', fieldsV1 },
      { manager: 'kubectl-edit', fieldsV1 },
      { manager: 'kubectl-edit', operation: 'Apply', fieldsV1 },
      { manager: 'kubectl', subresource: 'scale', fieldsV1 },
      { manager: 'bystander', fieldsV1: { 'f:metadata': {} } },
      { manager: 'nothing' },
    );
    expect(holdersOf(object, ['spec', 'replicas'])).toEqual(['kubectl-edit', 'kubectl']);
  });

  it.each([
    { given: 'a key that is no JSON', fields: { 'f:list': { 'k:{broken': { 'f:a': {} }, 'k:7': {}, 'v:"x"': {} } } },
    { given: 'fields that are no mapping', fields: { 'f:list': 'x' } },
  ])('is not upset by $given', ({ fields }) => {
    expect(holdersOf(held(fields), ['list', { key: 'name', value: 'a' }, 'a'])).toEqual([]);
  });
});

describe('packed managers', () => {
  const live = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'a',
      managedFields: [
        { manager: 'echelon', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
        { manager: 'none', operation: 'Update' },
      ],
    },
    status: { replicas: 1 },
  };

  it('take no trees and no status along, and say the same', () => {
    const packed = packedManagers(live);
    expect(packed).not.toHaveProperty('status');
    expect(JSON.stringify(packed.metadata['managedFields'])).toContain('\\"f:replicas\\"');
    expect(managersOf(packed)).toEqual(managersOf(live));
    expect(packedManagers({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'b' } })).toEqual({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'b' },
    });
  });
});
