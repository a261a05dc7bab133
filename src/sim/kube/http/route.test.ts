import { describe, expect, it } from 'vitest';
import { routeOf } from './route.ts';

describe('a path', () => {
  it.each([
    { method: 'GET', path: '/api/v1/namespaces', route: 'list namespaces' },
    { method: 'GET', path: '/api/v1/namespaces/ns', route: 'get namespaces  ns' },
    { method: 'GET', path: '/api/v1/namespaces/ns/pods', route: 'list pods ns' },
    { method: 'GET', path: '/api/v1/pods', route: 'list pods' },
    { method: 'POST', path: '/apis/apps/v1/namespaces/ns/deployments', route: 'create deployments ns' },
    { method: 'PATCH', path: '/apis/apps/v1/namespaces/ns/deployments/d', route: 'patch deployments ns d' },
    { method: 'DELETE', path: '/apis/coordination.k8s.io/v1/namespaces/ns/leases/l', route: 'delete leases ns l' },
  ])('$method $path is $route', ({ method, path, route }) => {
    const { verb, resource, namespace, name } = routeOf(method, path, false)!;
    expect([verb, resource.name, namespace, name].join(' ').trimEnd()).toBe(route);
  });

  it('of a list is a watch when asked for', () => {
    expect(routeOf('GET', '/api/v1/pods', true)?.verb).toBe('watch');
  });

  it.each([
    { method: 'GET', path: '/api/v1/nodes', code: 404 },
    { method: 'GET', path: '/apis/apps/v2/deployments', code: 404 },
    { method: 'GET', path: '/apis/apps/v1/deployments/d', code: 404 },
    { method: 'GET', path: '/apis/apps/v1/namespaces/ns/deployments/d/foo', code: 404 },
    { method: 'GET', path: '/api/v1/namespaces/%zz/configmaps', code: 404 },
    { method: 'POST', path: '/apis/apps/v1/deployments', code: 405 },
    { method: 'PUT', path: '/api/v1/namespaces/ns/configmaps', code: 405 },
    { method: 'POST', path: '/api/v1/namespaces/ns/configmaps/c', code: 405 },
    { method: 'DELETE', path: '/api/v1/namespaces/ns/pods', code: 405 },
  ])('$method $path is refused with $code', ({ method, path, code }) => {
    expect(() => routeOf(method, path, false)).toThrow(expect.objectContaining({ code }));
  });

  it('outside of resources is none', () => {
    expect(routeOf('GET', '/metrics', false)).toBeUndefined();
  });
});
