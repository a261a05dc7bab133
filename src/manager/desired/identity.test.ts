import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { objectHash } from '../plan/object-hash.ts';
import type { KubeObject } from './desired-namespace.ts';
import { identityOf, podIdentity, withIdentity, withoutIdentity } from './identity.ts';

const IDENTITY = { integration: 'terraform-resources', shard: 'alpha', environment: 'lab' };
const ANNOTATIONS = {
  'echelon/integration': 'terraform-resources',
  'echelon/shard': 'alpha',
  'echelon/environment': 'lab',
};

function deployment(metadata: object = {}, template: object = { spec: {} }): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x', ...metadata }, spec: { template } };
}

const CRON: KubeObject = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'x' },
  spec: { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: {} } } } },
};

describe('the identity of a shard', () => {
  it.each([deployment(), CRON, { ...deployment(), kind: 'StatefulSet' }])('is on $kind and its pods', (object) => {
    const marked = withIdentity(object, IDENTITY);
    expect(identityOf(marked)).toEqual(IDENTITY);
    expect(podIdentity(marked)).toEqual(ANNOTATIONS);
  });

  it('stands beside what the chart wrote', () => {
    const object = deployment({ annotations: { a: '1' } }, { metadata: { annotations: { b: '2' } } });
    expect(withIdentity(object, IDENTITY)).toMatchObject({
      metadata: { annotations: { a: '1', ...ANNOTATIONS } },
      spec: { template: { metadata: { annotations: { b: '2', ...ANNOTATIONS } } } },
    });
  });

  it('is unknown where only a part of it is written', () => {
    expect(identityOf(deployment({ annotations: { 'echelon/integration': 'a' } }))).toBeUndefined();
    expect(identityOf(deployment())).toBeUndefined();
  });

  it('changes nothing of the hash that existing managers compute, whatever the chart wrote', () => {
    const metadata = fc.option(
      fc.record(
        {
          labels: fc.constant({ app: 'x' }),
          annotations: fc.option(fc.dictionary(fc.constantFrom('a', 'b'), fc.string())),
        },
        { requiredKeys: [] },
      ),
      { nil: undefined },
    );
    holds(
      fc.property(metadata, metadata, fc.boolean(), (own, pods, isCron) => {
        const template = { ...(pods === undefined ? {} : { metadata: pods }), spec: {} };
        const plain = deployment(own);
        const spec = isCron ? { jobTemplate: { spec: { template } } } : { template };
        const object: KubeObject = { ...plain, kind: isCron ? 'CronJob' : 'Deployment', spec };
        const marked = withIdentity(object, IDENTITY);
        expect(objectHash(marked)).toBe(objectHash(object));
        expect(withoutIdentity(marked)['spec']).toEqual(object['spec']);
      }),
    );
  });
});
