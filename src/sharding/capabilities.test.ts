import { describe, expect, it } from 'vitest';
import { type Capabilities, understands } from './capabilities.ts';

const NOTHING: Capabilities = new Map();

describe('what is known of an integration', () => {
  it.each([
    { integration: 'terraform-resources', flag: '--account-name', answer: 'yes' },
    { integration: 'aws-iam-keys', flag: '--account-name', answer: 'yes' },
    { integration: 'openshift-resources', flag: '--cluster-name', answer: 'yes' },
    { integration: 'prometheus-rules-tester', flag: '--cluster-name', answer: 'yes' },
    { integration: 'ocm-upgrade-scheduler-org', flag: '--org-id', answer: 'yes' },
    { integration: 'advanced-upgrade-scheduler', flag: '--org-id', answer: 'yes' },
    { integration: 'advanced-upgrade-scheduler', flag: '--ocm-env', answer: 'yes' },
    { integration: 'terraform-resources', flag: '--cluster-name', answer: 'no' },
    { integration: 'ocm-upgrade-scheduler-org', flag: '--ocm-env', answer: 'no' },
    { integration: 'openshift-resources', flag: '--zone-name', answer: 'no' },
    { integration: 'slack-usergroups', flag: '--account-name', answer: 'unknown' },
    { integration: 'terraform-resource', flag: '--account-name', answer: 'unknown' },
    { integration: '', flag: '--org-id', answer: 'unknown' },
  ])('$integration understands $flag: $answer', ({ integration, flag, answer }) => {
    expect(understands(integration, flag, NOTHING)).toBe(answer);
  });
});

describe('what is declared', () => {
  it.each([
    { given: 'the flag, of an unknown integration', name: 'mine', flags: ['--account-name'], answer: 'yes' },
    { given: 'other flags, of an unknown integration', name: 'mine', flags: ['--org-id'], answer: 'no' },
    { given: 'no flags, of an unknown integration', name: 'mine', flags: [], answer: 'no' },
    { given: 'other flags, of a known integration', name: 'terraform-users', flags: ['--x'], answer: 'no' },
    { given: 'the flag, of one known for another', name: 'openshift-routes', flags: ['--account-name'], answer: 'yes' },
  ])('$given: $answer, whatever is built in', ({ name, flags, answer }) => {
    expect(understands(name, '--account-name', new Map([[name, flags]]))).toBe(answer);
  });

  it('of one integration says nothing of another', () => {
    const declared: Capabilities = new Map([['mine', ['--account-name']]]);
    expect(understands('other', '--account-name', declared)).toBe('unknown');
    expect(understands('terraform-users', '--account-name', declared)).toBe('yes');
  });
});
