import { describe, expect, it } from 'vitest';
import { handMadeSnapshot, ref } from '../../../test/support/hand-made-snapshot.ts';
import { readInstance } from './read-instance.ts';

const OWN_FILE = {
  $schema: '/app-sre/saas-file-target-1.yml',
  name: 'stage',
  namespace: ref('/ns.yml'),
  ref: 'main',
  parameters: { REPLICAS: 1 },
};
const BROKEN_FILE = { $schema: '/app-sre/saas-file-target-1.yml', ref: 5 };

function read(targets: readonly unknown[]) {
  const template = {
    name: 't',
    url: 'https://example.com/t',
    path: '/t.yaml',
    provider: 'openshift-template',
    hash_length: 7,
  };
  const snapshot = handMadeSnapshot({
    '/saas.yml': { $schema: '/app-sre/saas-file-2.yml', name: 's', resourceTemplates: [{ ...template, targets }] },
    '/targets/stage.yml': OWN_FILE,
    '/targets/broken.yml': BROKEN_FILE,
  });
  const { saasFiles, findings } = readInstance(snapshot);
  return {
    template: saasFiles[0]?.templates[0],
    told: findings.map(({ rule, path, keys }) => `${rule} at ${path} ${keys.join('.')}`),
  };
}

describe('a target', () => {
  it.each([
    {
      given: 'in the saas file',
      target: { namespace: ref('/ns.yml'), ref: 'abc' },
      read: { namespace: '/ns.yml', ref: 'abc', parameters: {}, disable: false, delete: false },
    },
    {
      given: 'in a file of its own',
      target: ref('/targets/stage.yml'),
      read: {
        file: '/targets/stage.yml',
        name: 'stage',
        namespace: '/ns.yml',
        ref: 'main',
        parameters: { REPLICAS: 1 },
        disable: false,
        delete: false,
      },
    },
    {
      given: 'that is disabled and to be deleted, without a namespace',
      target: { ref: 'abc', parameters: null, disable: true, delete: true },
      read: { ref: 'abc', parameters: {}, disable: true, delete: true },
    },
  ])('$given', ({ target, read: expected }) => {
    const { template, told } = read([target]);
    expect(template).toEqual({
      name: 't',
      url: 'https://example.com/t',
      path: '/t.yaml',
      provider: 'openshift-template',
      hashLength: 7,
      parameters: {},
      targets: [expected],
    });
    expect(told).toEqual([]);
  });

  it.each([
    { given: 'in place', target: { ref: 5 }, told: ['wrong-type at /saas.yml resourceTemplates.0.targets.0.ref'] },
    {
      given: 'in a file of its own',
      target: ref('/targets/broken.yml'),
      told: ['wrong-type at /targets/broken.yml ref'],
    },
    { given: 'in a file that does not exist, which the reference check tells', target: ref('/no.yml'), told: [] },
  ])('that is wrong $given is told there and leaves the others', ({ target, told }) => {
    const result = read([target, { ref: 'abc' }]);
    expect(result.template?.targets).toMatchObject([{ ref: 'abc' }]);
    expect(result.told).toEqual(told);
  });
});
