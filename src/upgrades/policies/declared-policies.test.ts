import { describe, expect, it } from 'vitest';
import { declaredIn, declaredOrganizations, entry, fileOf } from '../../../test/support/declared-organizations.ts';
import { declaredPolicies } from './declared-policies.ts';

const ref = (orgId: string) => ({ $ref: fileOf(orgId) });

describe('what organization files declare', () => {
  it('is there for every organization of the environment, with whom it shares its history', () => {
    const { organizations, sharing } = declaredIn({
      'org-1': { upgradePolicyClusters: [entry('a')], inheritVersionData: [ref('org-2')] },
      'org-2': { publishVersionData: [ref('org-1'), ref('org-3')] },
      'org-3': {},
    });
    expect([...organizations.keys()]).toEqual(['org-1', 'org-2', 'org-3']);
    expect(Object.fromEntries(sharing)).toEqual({
      'org-1': { 'sre-capabilities.aus.version-data.inherit': 'org-2' },
      'org-2': { 'sre-capabilities.aus.version-data.publish': 'org-1,org-3' },
      'org-3': {},
    });
  });

  it('leaves out organizations of other environments, but knows them by their files', () => {
    const [one, two] = declaredOrganizations({ 'org-1': { inheritVersionData: [ref('org-2')] }, 'org-2': {} });
    if (one === undefined || two === undefined) throw new Error('both were declared');
    const elsewhere = { ...two, environment: { ...two.environment, file: '/ocm/other.yml' } };
    const { organizations, sharing } = declaredPolicies([one, elsewhere], one.environment.file);
    expect([...organizations.keys()]).toEqual(['org-1']);
    expect(sharing.get('org-1')).toEqual({ 'sre-capabilities.aus.version-data.inherit': 'org-2' });
  });

  it('names a file that is not there by its path', () => {
    const [one] = declaredOrganizations({ 'org-1': {} });
    if (one === undefined) throw new Error('it was declared');
    const { sharing } = declaredPolicies([{ ...one, inheritVersionData: ['/gone.yml'] }], one.environment.file);
    expect(sharing.get('org-1')).toEqual({ 'sre-capabilities.aus.version-data.inherit': '/gone.yml' });
  });
});
