import { describe, expect, it } from 'vitest';
import { normalize, timeText, zeroOf } from './normalize.ts';
import { struct } from './schema.ts';

describe('what a server gives back', () => {
  it.each([
    { what: 'no unknown fields', type: 'core.v1.EnvVar', given: { name: 'A', foo: 1 }, back: { name: 'A' } },
    {
      what: 'no empty text, list, map, number or false where they mean nothing',
      type: 'core.v1.PodSpec',
      given: { containers: [], hostname: '', tolerations: [], nodeSelector: {}, hostNetwork: false },
      back: { containers: [] },
    },
    {
      what: 'empty values that mean something',
      type: 'apps.v1.DeploymentSpec',
      given: { replicas: 0, selector: { matchLabels: { a: 'b' } } },
      back: {
        replicas: 0,
        selector: { matchLabels: { a: 'b' } },
        strategy: {},
        template: { metadata: {}, spec: { containers: null } },
      },
    },
    {
      what: 'an empty struct that was given',
      type: 'core.v1.Volume',
      given: { name: 'v', emptyDir: {} },
      back: { name: 'v', emptyDir: {} },
    },
    {
      what: 'no nulls',
      type: 'core.v1.ConfigMap',
      given: { data: null, metadata: { labels: null } },
      back: { metadata: {} },
    },
    {
      what: 'empty text for a null in a map',
      type: 'core.v1.ConfigMap',
      given: { data: { a: null } },
      back: { data: { a: '' }, metadata: {} },
    },
    {
      what: 'canonical quantities',
      type: 'core.v1.ResourceRequirements',
      given: { limits: { cpu: 1, memory: '1024Mi' } },
      back: { limits: { cpu: '1', memory: '1Gi' } },
    },
    {
      what: 'times in UTC',
      type: 'coordination.v1.LeaseSpec',
      given: { renewTime: '2026-01-01T02:00:00.123456+02:00' },
      back: { renewTime: '2026-01-01T00:00:00.123456Z' },
    },
  ])('is $what', ({ type, given, back }) => {
    expect(normalize(given, struct(type))).toEqual(back);
  });

  it('is the same when it is given again', () => {
    const spec = { containers: [{ name: 'c', resources: { limits: { cpu: '0.5' } } }], volumes: [{ name: 'v' }] };
    const once = normalize(spec, struct('core.v1.PodSpec'));
    expect(normalize(once, struct('core.v1.PodSpec'))).toEqual(once);
  });
});

describe('an empty object', () => {
  it.each([
    { kind: 'core.v1.ConfigMap', zero: { metadata: {} } },
    { kind: 'core.v1.Service', zero: { metadata: {}, spec: {}, status: { loadBalancer: {} } } },
    {
      kind: 'apps.v1.Deployment',
      zero: {
        metadata: {},
        spec: { selector: null, strategy: {}, template: { metadata: {}, spec: { containers: null } } },
        status: {},
      },
    },
  ])('of $kind has what is always there', ({ kind, zero }) => {
    expect(zeroOf(struct(kind))).toEqual(zero);
  });
});

describe('times', () => {
  it.each([
    { given: '2026-01-01T00:00:00.987Z', name: 'time', told: '2026-01-01T00:00:00Z' },
    { given: '2026-01-01T01:00:00+01:00', name: 'time', told: '2026-01-01T00:00:00Z' },
    { given: new Date('2026-01-01T00:00:00.987Z'), name: 'time', told: '2026-01-01T00:00:00Z' },
    { given: new Date('2026-01-01T00:00:00.987Z'), name: 'microTime', told: '2026-01-01T00:00:00.987000Z' },
    { given: '2026-01-01T00:00:00.123456Z', name: 'microTime', told: '2026-01-01T00:00:00.123456Z' },
  ] as const)('$given as $name is $told', ({ given, name, told }) => {
    expect(timeText(given, name)).toBe(told);
  });
});
