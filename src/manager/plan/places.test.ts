import { describe, expect, it } from 'vitest';
import type { DesiredNamespace, KubeObject } from '../desired/desired-namespace.ts';
import type { LiveCluster } from './observe.ts';
import { clusterNames, placesToPlan } from './places.ts';

const object = (key: string): KubeObject => {
  const [kind = '', name = ''] = key.split('/');
  return { apiVersion: 'v1', kind, metadata: { name } };
};

function desired(place: string, ...keys: readonly string[]): DesiredNamespace {
  const [cluster = '', namespace = ''] = place.split('/');
  return { cluster, namespace, file: '', environment: 'prod', objects: keys.map(object) };
}

function live(cluster: string, server: string, namespaces: readonly string[], elsewhere: readonly string[] = []) {
  const read = (names: readonly string[]) => names.map((namespace) => ({ cluster, namespace, objects: [] }));
  return { cluster, server, namespaces: read(namespaces), elsewhere: read(elsewhere), failures: [] } as LiveCluster;
}

/** `+` where undeclared objects are removed; then what is planned there, what is not, and what is declared twice. */
const places = (namespaces: readonly DesiredNamespace[], clusters: readonly LiveCluster[]): string[] =>
  placesToPlan(namespaces, clusters).map(({ found, declared, elsewhere, twice, sweeps }) =>
    [
      `${sweeps ? '+' : ''}${found.cluster}/${found.namespace}`,
      `plans ${declared?.objects.map(({ metadata }) => metadata.name).join() ?? 'nothing'}`,
      `not ${[...elsewhere].join()}`,
      `twice ${twice.map(({ name }) => name).join()}`,
    ].join(' '),
  );

describe('the names of a cluster', () => {
  const names = clusterNames([
    { cluster: 'a', server: 's' },
    { cluster: 'b' },
    { cluster: 'c', server: 's' },
    { cluster: 's' },
  ]);
  it.each([
    { cluster: 'a', all: ['a', 'c'] },
    { cluster: 'c', all: ['a', 'c'] },
    { cluster: 'b', all: ['b'] },
    { cluster: 'unobserved', all: ['unobserved'] },
  ])('of $cluster are $all', ({ cluster, all }) => {
    expect(names(cluster)).toEqual(all);
  });
});

describe('what is planned where', () => {
  it.each([
    {
      given: 'two servers',
      desired: [desired('a/n', 'Deployment/x'), desired('b/n', 'Deployment/x')],
      live: [live('a', 's1', ['n'], ['o']), live('b', 's2', ['n'])],
      is: ['+a/n plans x not  twice ', '+a/o plans nothing not  twice ', '+b/n plans x not  twice '],
    },
    {
      given: 'one server, two namespaces',
      desired: [desired('a/n', 'Deployment/x'), desired('b/o', 'Deployment/y')],
      live: [live('a', 's', ['n'], ['o']), live('b', 's', ['o'], ['n'])],
      is: [
        '+a/n plans x not  twice ',
        'a/o plans nothing not Deployment/y twice ',
        '+b/o plans y not  twice ',
        'b/n plans nothing not Deployment/x twice ',
      ],
    },
    {
      given: 'one server, one namespace, with a shared object and a workload declared twice',
      desired: [
        desired('a/n', 'Deployment/x', 'Service/q', 'Deployment/z'),
        desired('b/n', 'Deployment/y', 'Service/q', 'Deployment/z'),
      ],
      live: [live('a', 's', ['n']), live('b', 's', ['n'])],
      is: ['+a/n plans x,q,z not Deployment/y twice ', 'b/n plans y not Deployment/x,Service/q,Deployment/z twice z'],
    },
    {
      given: 'one server, and a name that could not be observed',
      desired: [desired('a/n', 'Deployment/x'), desired('b/n', 'Deployment/y')],
      live: [live('a', 's', []), live('b', 's', ['n'])],
      is: ['+b/n plans y not Deployment/x twice '],
    },
    {
      given: 'one server, and nothing declared',
      desired: [],
      live: [live('a', 's', [], ['n']), live('b', 's', [], ['n'])],
      is: ['+a/n plans nothing not  twice ', 'b/n plans nothing not  twice '],
    },
  ])('with $given', (given) => {
    expect(places(given.desired, given.live)).toEqual(given.is);
  });
});
