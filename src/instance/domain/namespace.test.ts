import { describe, expect, it } from 'vitest';
import {
  cluster,
  environment,
  handMadeSnapshot,
  leanNamespace,
  product,
  ref,
} from '../../../test/support/hand-made-snapshot.ts';
import { readInstance } from './read-instance.ts';

type Content = Readonly<Record<string, unknown>>;

const AROUND = {
  '/cluster.yml': cluster('c', { labels: { size: 'big' }, insecureSkipTLSVerify: true }),
  '/product.yml': product('p'),
  '/env.yml': environment('e', '/product.yml', { parameters: { LOG_LEVEL: 'INFO' } }),
};
const full = (more: Content = {}): Content => ({
  $schema: '/openshift/namespace-1.yml',
  name: 'n',
  cluster: ref('/cluster.yml'),
  environment: ref('/env.yml'),
  ...more,
});

function read(namespace: Content, around: Readonly<Record<string, Content>> = AROUND, unreadable: string[] = []) {
  const { namespaces, findings } = readInstance(handMadeSnapshot({ ...around, '/ns.yml': namespace }, { unreadable }));
  return { namespaces, told: findings.map(({ rule, path, keys }) => `${rule} at ${path} ${keys.join('.')}`) };
}

describe('a namespace', () => {
  it('has its cluster and environment resolved', () => {
    const { namespaces, told } = read(full({ labels: { a: 'b' } }));
    expect(namespaces).toMatchObject([
      {
        file: '/ns.yml',
        name: 'n',
        labels: { a: 'b' },
        lean: false,
        delete: false,
        cluster: { file: '/cluster.yml', name: 'c', labels: { size: 'big' }, insecureSkipTLSVerify: true },
        environment: { file: '/env.yml', name: 'e', parameters: { LOG_LEVEL: 'INFO' }, product: { name: 'p' } },
      },
    ]);
    expect(told).toEqual([]);
  });

  it('that is marked for deletion says so', () => {
    expect(read(full({ delete: true })).namespaces).toMatchObject([{ delete: true }]);
  });

  it.each([
    {
      given: 'a cluster that does not exist',
      more: { cluster: ref('/no.yml') },
      told: ['ref-dangling at /ns.yml cluster.$ref'],
    },
    {
      given: 'an environment that is a cluster',
      more: { environment: ref('/cluster.yml') },
      told: ['ref-wrong-type at /ns.yml environment.$ref'],
    },
    {
      given: 'both wrong',
      more: { cluster: ref('/env.yml'), environment: ref('/cluster.yml') },
      told: ['ref-wrong-type at /ns.yml cluster.$ref', 'ref-wrong-type at /ns.yml environment.$ref'],
    },
    {
      given: 'a cluster that could not be read',
      more: { cluster: ref('/garbled.yml') },
      told: ['ref-unreadable at /ns.yml cluster.$ref'],
    },
    { given: 'a cluster in place', more: { cluster: { name: 'c' } }, told: ['missing-field at /ns.yml cluster.$ref'] },
  ])('with $given is left out', ({ more, told }) => {
    expect(read(full(more), AROUND, ['/garbled.yml'])).toEqual({ namespaces: [], told });
  });
});

describe('a lean namespace', () => {
  it('says all of its cluster and environment itself', () => {
    const { namespaces, told } = read(leanNamespace('n', { environment: { name: 'lab', parameters: { A: 1 } } }), {});
    expect(namespaces).toEqual([
      {
        file: '/ns.yml',
        name: 'n',
        labels: {},
        lean: true,
        delete: false,
        cluster: {
          name: 'lab',
          serverUrl: 'https://api.lab.example.com',
          labels: {},
          automationToken: { path: 'some/path', field: 'token' },
        },
        environment: { name: 'lab', parameters: { A: 1 } },
      },
    ]);
    expect(told).toEqual([]);
  });

  it.each([
    { given: 'no parameters', environment: { name: 'lab' } },
    { given: 'empty parameters', environment: { name: 'lab', parameters: null } },
  ])('with $given has none', ({ environment: own }) => {
    expect(read(leanNamespace('n', { environment: own })).namespaces).toMatchObject([
      { environment: { parameters: {} } },
    ]);
  });

  it('without a token for its cluster is left out', () => {
    const bad = leanNamespace('n', { cluster: { name: 'lab', serverUrl: 'https://api.lab.example.com' } });
    expect(read(bad)).toEqual({ namespaces: [], told: ['missing-field at /ns.yml cluster.automationToken'] });
  });
});

describe('a lean namespace that names a cluster with another API server', () => {
  const at = (serverUrl: string, name = 'c'): Content =>
    leanNamespace('n', { cluster: { name, serverUrl, automationToken: { path: 'p', field: 'f' } } });
  const { serverUrl } = AROUND['/cluster.yml'] as { serverUrl: string };
  const found = (files: Readonly<Record<string, Content>>) => {
    const { namespaces, findings } = readInstance(handMadeSnapshot(files));
    return [namespaces.map(({ file }) => file), findings.map(({ path, message }) => `${path} ${message}`)];
  };

  it.each([
    {
      given: 'than a cluster file',
      files: { ...AROUND, '/ns.yml': at('https://other.example.com') },
      kept: [],
      told: [
        `/ns.yml cluster c has the API server https://other.example.com here, but ${serverUrl} in data/cluster.yml`,
      ],
    },
    {
      given: 'than another lean namespace',
      files: { '/a.yml': at('https://a.example.com'), '/b.yml': at('https://b.example.com') },
      kept: ['/a.yml'],
      told: ['/b.yml cluster c has the API server https://b.example.com here, but https://a.example.com in data/a.yml'],
    },
  ])('$given is left out, and both files are named', ({ files, kept, told }) => {
    expect(found(files)).toEqual([kept, told]);
  });

  it.each([
    { given: 'the same server, spelled otherwise', files: { ...AROUND, '/ns.yml': at(`${serverUrl.toUpperCase()}/`) } },
    { given: 'no server yet', files: { ...AROUND, '/ns.yml': at('') } },
    { given: 'another name', files: { ...AROUND, '/ns.yml': at('https://other.example.com', 'd') } },
  ])('is not one with $given', ({ files }) => {
    expect(found(files)).toEqual([['/ns.yml'], []]);
  });
});
