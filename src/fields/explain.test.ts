import { describe, expect, it } from 'vitest';
import { findField } from './explain.ts';

describe('a path', () => {
  it.each([
    { path: 'integration', type: 'Object', required: true },
    { path: 'Lean-Namespace.name', type: 'string', required: true },
    { path: 'leanNamespace.cluster.serverUrl', type: 'string', required: true },
    { path: 'rollouts.yml', type: 'Object', required: true },
    { path: 'rollouts.yml.tracks.waves.soak', type: 'string', required: false },
    { path: 'integration.managed', type: '[]Object', required: false },
    { path: 'integration.managed.spec.resources.requests.cpu', type: 'string | number', required: false },
    {
      path: 'integration.managed.sharding.shardSpecOverrides.shard',
      type: 'Object | string | integer',
      required: true,
    },
    { path: 'integration.labels', type: 'map[string]string', required: false },
    { path: 'environment.parameters', type: 'map[string]any | null', required: false },
    { path: 'promotion.upstreams', type: 'map[string]Object', required: true },
    { path: 'promotion.upstreams.url', type: 'string', required: false },
    { path: 'promotion.targets.selector', type: 'map[string]{string | number | boolean}', required: false },
    { path: 'upgrades.organizations.allow', type: '"all" | []{string | Object}', required: true },
    { path: 'rollouts.freezes.from', type: 'string', required: true },
  ])('$path is <$type>', ({ path, type, required }) => {
    const { field } = findField(path);
    expect({ type: field.type, required: field.required }).toEqual({ type, required });
  });

  it.each([
    { path: 'rollouts.tracks.waves.soak', fallback: '1h' },
    { path: 'rollouts.tracks.waves.maxParallel', fallback: 10 },
    { path: 'promotion.branchPrefix', fallback: 'promote-' },
    { path: 'integration.labels', fallback: {} },
    { path: 'integration.upstream', fallback: undefined },
  ])('$path has the default $fallback', ({ path, fallback }) => {
    expect(findField(path).field.default).toEqual(fallback);
  });

  it.each([
    { path: 'integrations', code: 'KIND_UNKNOWN', hint: 'did you mean integration?' },
    { path: '', code: 'KIND_UNKNOWN', hint: /^use one of: integration, / },
    { path: '__proto__', code: 'KIND_UNKNOWN', hint: /^use one of: / },
    { path: 'integration.managed.spec.imageref', code: 'FIELD_UNKNOWN', hint: 'did you mean imageRef?' },
    { path: 'integration.constructor', code: 'FIELD_UNKNOWN', hint: /^integration has: \$schema, name, / },
    { path: 'integration..name', code: 'FIELD_UNKNOWN', hint: /^integration has: / },
    { path: 'integration.name.first', code: 'FIELD_UNKNOWN', hint: 'integration.name has no fields' },
    { path: 'integration.managed.0.spec', code: 'FIELD_UNKNOWN', hint: /^integration.managed has: / },
  ])('$path is $code with a hint', ({ path, code, hint }) => {
    expect(() => findField(path)).toThrow(expect.objectContaining({ code, hint: expect.stringMatching(hint) }));
  });
});
