import { describe, expect, it } from 'vitest';
import { struct } from './schema.ts';
import { unknownFields } from './unknown-fields.ts';

describe('fields that a kind does not have', () => {
  const container = (more: object) => ({ spec: { template: { spec: { containers: [{ name: 'c', ...more }] } } } });
  it.each([
    { given: 'known ones', value: { metadata: { labels: { any: 'x' } }, spec: { replicas: 1 } }, found: [] },
    { given: 'one at the top', value: { foo: 1 }, found: ['foo'] },
    { given: 'one in an item', value: container({ imge: 'x' }), found: ['spec.template.spec.containers[0].imge'] },
    { given: 'a value of another kind', value: { spec: { template: 'text' } }, found: [] },
    { given: 'nothing', value: { spec: null }, found: [] },
  ])('with $given are $found', ({ value, found }) => {
    expect(unknownFields(value, struct('apps.v1.Deployment'))).toEqual(found);
  });
});
