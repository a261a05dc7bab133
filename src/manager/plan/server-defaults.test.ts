import { describe, expect, it } from 'vitest';
import { isServerDefault } from './server-defaults.ts';

describe('a field that is taken away', () => {
  it.each([
    { field: 'dnsPolicy', value: 'ClusterFirst', back: true },
    { field: 'dnsPolicy', value: 'None', back: false },
    { field: 'replicas', value: 1, back: true },
    { field: 'replicas', value: 0, back: false },
    { field: 'suspend', value: false, back: true },
    { field: 'suspend', value: true, back: false },
    { field: 'defaultMode', value: 420, back: true },
    { field: 'defaultMode', value: 256, back: false },
    { field: 'env', value: [], back: false },
    { field: 'constructor', value: 'x', back: false },
    { field: 'resources', value: {}, back: true },
    { field: 'resources', value: { limits: {} }, back: false },
    { field: 'securityContext', value: {}, back: true },
    { field: 'emptyDir', value: {}, back: false },
    { field: 'updateStrategy', value: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } }, back: true },
    { field: 'updateStrategy', value: { type: 'OnDelete' }, back: false },
  ])('$field $value comes back: $back', ({ field, value, back }) => {
    expect(isServerDefault(field, value, {})).toBe(back);
  });

  it.each([
    { image: 'repo/app:v1', value: 'IfNotPresent', back: true },
    { image: 'repo/app:v1', value: 'Always', back: false },
    { image: 'repo/app:latest', value: 'Always', back: true },
    { image: 'repo/app', value: 'Always', back: true },
    { image: 'host:5000/app', value: 'Always', back: true },
    { image: 'host:5000/app:v1', value: 'IfNotPresent', back: true },
    { image: 'repo/app@sha256:abc', value: 'IfNotPresent', back: true },
    { image: 'repo/app:latest', value: 'Never', back: false },
  ])('imagePullPolicy $value of $image comes back: $back', ({ image, value, back }) => {
    expect(isServerDefault('imagePullPolicy', value, { image })).toBe(back);
  });

  it.each([
    { beside: { serviceAccountName: 'me' }, back: true },
    { beside: { serviceAccountName: 'other' }, back: false },
    { beside: {}, back: false },
    { beside: undefined, back: false },
  ])('serviceAccount beside $beside comes back: $back', ({ beside, back }) => {
    expect(isServerDefault('serviceAccount', 'me', beside)).toBe(back);
  });
});
