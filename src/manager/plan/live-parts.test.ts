import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { podIdentity, withIdentity } from '../desired/identity.ts';
import { keepsLiveParts } from './live-parts.ts';

const IDENTITY = { integration: 'a', shard: '0', environment: 'lab' };
const ANNOTATIONS = { 'echelon/integration': 'a', 'echelon/shard': '0', 'echelon/environment': 'lab' };

function workload(image: string, kind = 'Deployment'): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'x' },
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'int', image }] } },
    },
  };
}

function fitted(desired: KubeObject, live: KubeObject): KubeObject {
  const result = keepsLiveParts(desired, live);
  if ('conflict' in result) throw new Error(result.conflict);
  return result.object;
}

describe.each(['Deployment', 'StatefulSet'])('pods of a running %s', (kind) => {
  const old = workload('repo:1', kind);
  const renamed = withIdentity(old, { ...IDENTITY, environment: 'renamed' });

  it.each([
    { given: 'it carries no identity', live: old, image: 'repo:1', pods: {} },
    { given: 'it carries none and its image changes', live: old, image: 'repo:2', pods: ANNOTATIONS },
    { given: 'it carries its own', live: withIdentity(old, IDENTITY), image: 'repo:1', pods: ANNOTATIONS },
    {
      given: 'it carries another one',
      live: renamed,
      image: 'repo:1',
      pods: { ...ANNOTATIONS, 'echelon/environment': 'renamed' },
    },
    { given: 'it carries another one and its image changes', live: renamed, image: 'repo:2', pods: ANNOTATIONS },
  ])('are not restarted for their identity where $given', ({ live, image, pods }) => {
    const object = fitted(withIdentity(workload(image, kind), IDENTITY), live);
    expect(podIdentity(object)).toEqual(pods);
    expect(object.metadata['annotations']).toEqual(ANNOTATIONS);
  });
});
