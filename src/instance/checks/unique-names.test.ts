import { describe, expect, it } from 'vitest';
import {
  account,
  cluster,
  environment,
  handMadeSnapshot,
  integration,
  leanNamespace,
  ocmEnvironment,
  organization,
  product,
  ref,
  zone,
} from '../../../test/support/hand-made-snapshot.ts';
import { duplicateNames } from './unique-names.ts';

type Content = Readonly<Record<string, unknown>>;

const check = (a: Content, b: Content) => duplicateNames(handMadeSnapshot({ '/a.yml': a, '/b.yml': b }));
const namespace = (name: string, on: string): Content => ({
  $schema: '/openshift/namespace-1.yml',
  name,
  cluster: ref(on),
});
const saasFile = (name: string): Content => ({ $schema: '/app-sre/saas-file-2.yml', name });

describe('two files', () => {
  it.each([
    { of: 'integration x', a: integration('x'), b: integration('x'), field: 'name' },
    { of: 'environment x', a: environment('x', '/p.yml'), b: environment('x', '/q.yml'), field: 'name' },
    { of: 'product x', a: product('x'), b: product('x'), field: 'name' },
    { of: 'cluster x', a: cluster('x'), b: cluster('x'), field: 'name' },
    { of: 'AWS account x', a: account('x'), b: account('x', { uid: 'other' }), field: 'name' },
    { of: 'AWS account with the uid 5', a: account('x', { uid: '5' }), b: account('y', { uid: '5' }), field: 'uid' },
    {
      of: 'OCM organization x',
      a: organization('x', '/o.yml'),
      b: organization('x', '/o.yml', { orgId: 'other' }),
      field: 'name',
    },
    {
      of: 'OCM organization with the id i',
      a: organization('x', '/o.yml', { orgId: 'i' }),
      b: organization('y', '/o.yml', { orgId: 'i' }),
      field: 'orgId',
    },
    { of: 'OCM environment x', a: ocmEnvironment('x'), b: ocmEnvironment('x'), field: 'name' },
    { of: 'Cloudflare zone x', a: zone('x'), b: zone('x'), field: 'identifier' },
    { of: 'saas file x', a: saasFile('x'), b: saasFile('x'), field: 'name' },
    { of: 'namespace x', a: namespace('x', '/c.yml'), b: namespace('x', '/c.yml'), field: 'name' },
    { of: 'namespace x', a: leanNamespace('x'), b: leanNamespace('x'), field: 'name' },
  ])('of one $of: the second is told of the first', ({ of, a, b, field }) => {
    expect(check(a, b)).toMatchObject([
      {
        rule: 'duplicate-name',
        severity: 'error',
        path: '/b.yml',
        keys: [field],
        message: `${of} is already defined in data/a.yml`,
      },
    ]);
  });

  it.each([
    { given: 'namespaces of one name on two clusters', a: namespace('x', '/c.yml'), b: namespace('x', '/d.yml') },
    { given: 'things of one name and two kinds', a: cluster('x'), b: account('x') },
    { given: 'names that differ by case', a: cluster('x'), b: cluster('X') },
    {
      given: 'files without a name',
      a: { $schema: '/openshift/cluster-1.yml' },
      b: { $schema: '/openshift/cluster-1.yml' },
    },
    {
      given: 'files of a schema that Echelon does not read',
      a: { $schema: '/own-1.yml', name: 'x' },
      b: { $schema: '/own-1.yml', name: 'x' },
    },
  ])('$given are let be', ({ a, b }) => {
    expect(check(a, b)).toEqual([]);
  });

  it('of three, the later two are told of the first', () => {
    const found = duplicateNames(
      handMadeSnapshot({ '/a.yml': cluster('x'), '/b.yml': cluster('x'), '/c.yml': cluster('x') }),
    );
    expect(found.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      '/b.yml: cluster x is already defined in data/a.yml',
      '/c.yml: cluster x is already defined in data/a.yml',
    ]);
  });
});
