import { describe, expect, it } from 'vitest';
import { declaredIn, entry } from '../../../test/support/declared-organizations.ts';
import { GATE_LABELS } from '../policies/fields.ts';
import { allowedGates, organizationsThatAllow } from './allowances.ts';

const { ocp, sts, ingress } = GATE_LABELS;
const APPROVALS = 'sre-capabilities.aus.version-gate-approvals';
const OTHER = { 'sre-capabilities.aus.soak-days': '1' };
const DECLARED = declaredIn({
  'org-1': { upgradePolicyClusters: [entry('a', {}, { versionGateApprovals: [ingress] }), entry('b')] },
  'org-2': { upgradePolicyClusters: [entry('a')] },
});

describe('what may be agreed to', () => {
  it.each([
    { given: 'nothing', parts: {}, allowed: undefined },
    { given: 'another label', parts: { labels: OTHER }, allowed: [ocp] },
    { given: 'another label of the organization', parts: { organizationLabels: OTHER }, allowed: [ocp] },
    { given: 'a label', parts: { labels: { [APPROVALS]: `${ocp}, ${sts}` } }, allowed: [ocp, sts] },
    { given: 'an empty label', parts: { labels: { [APPROVALS]: '' } }, allowed: [ocp] },
    {
      given: 'a label of the organization',
      parts: { labels: OTHER, organizationLabels: { [APPROVALS]: sts } },
      allowed: [sts],
    },
    {
      given: 'a label over that of the organization',
      parts: { labels: { [APPROVALS]: ocp }, organizationLabels: { [APPROVALS]: sts } },
      allowed: [ocp],
    },
    { given: 'a file', parts: { declared: DECLARED }, allowed: [ingress] },
    { given: 'a file that does not say', parts: { name: 'b', declared: DECLARED }, allowed: undefined },
    { given: 'a file of another organization', parts: { orgId: 'org-2', declared: DECLARED }, allowed: undefined },
    {
      given: 'a file over the label of the organization',
      parts: { organizationLabels: { [APPROVALS]: sts }, declared: DECLARED },
      allowed: [ingress],
    },
    { given: 'a label over a file', parts: { labels: { [APPROVALS]: sts }, declared: DECLARED }, allowed: [sts] },
  ])('by $given', ({ parts, allowed }) => {
    const none = { name: 'a', orgId: 'org-1', labels: undefined, organizationLabels: undefined, declared: undefined };
    const found = allowedGates({ ...none, ...parts }, { strict: true });
    expect(found === undefined ? undefined : [...found]).toEqual(allowed);
  });

  it('is said by the files of some organizations', () => {
    expect([organizationsThatAllow(DECLARED), organizationsThatAllow(undefined)]).toEqual([['org-1'], []]);
  });
});
