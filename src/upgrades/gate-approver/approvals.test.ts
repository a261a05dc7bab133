import { describe, expect, it } from 'vitest';
import { declaredIn, entry } from '../../../test/support/declared-organizations.ts';
import type { Version } from '../engine/versions.ts';
import { GATE_LABELS } from '../policies/fields.ts';
import { allowedGates, gatesAhead, judgeGate, organizationsThatAllow } from './approvals.ts';

const gate = (id: string, prefix: string, label: string) => ({ id, prefix, label });
const GATES = [
  gate('ocp-13', '4.13', GATE_LABELS.ocp),
  gate('sts-13', '4.13', GATE_LABELS.sts),
  gate('ingress-14', '4.14', GATE_LABELS.ingress),
  gate('ocp-14', '4.14', GATE_LABELS.ocp),
  gate('other-14', '4.14', 'api.openshift.com/gate-other'),
];

describe('gates ahead of a cluster', () => {
  it.each([
    { version: '4.12.1', upgrades: ['4.12.9', '4.13.2'], sts: false, ahead: ['ocp-13'] },
    { version: '4.12.1', upgrades: ['4.13.2'], sts: true, ahead: ['ocp-13', 'sts-13'] },
    {
      ...{ version: '4.12.1', upgrades: ['4.14.1', '4.13.2'], sts: false },
      ahead: ['ocp-13', 'ingress-14', 'ocp-14', 'other-14'],
    },
    { version: '4.12.1', upgrades: ['4.12.9'], sts: true, ahead: [] },
    { version: '4.13.1', upgrades: ['4.13.2'], sts: true, ahead: [] },
    { version: '4.9.1', upgrades: ['4.13.2'], sts: false, ahead: ['ocp-13'] },
    { version: '4.12.1', upgrades: ['no version'], sts: false, ahead: [] },
  ])('$version to $upgrades, STS $sts: $ahead', ({ version, upgrades, sts, ahead }) => {
    const found = gatesAhead({ version: version as Version, sts, availableUpgrades: upgrades as Version[] }, GATES);
    expect(found.map(({ id }) => id)).toEqual(ahead);
    expect(found.every((each) => GATES.includes(each))).toBe(true);
  });
});

describe('a gate that nobody agreed to', () => {
  it.each([
    { label: GATE_LABELS.ocp, allowed: [GATE_LABELS.ocp], kept: false, verdict: 'agree' },
    { label: GATE_LABELS.ingress, allowed: [GATE_LABELS.ingress], kept: false, verdict: 'agree' },
    { label: GATE_LABELS.ocp, allowed: [GATE_LABELS.sts], kept: true, verdict: 'not-allowed' },
    { label: GATE_LABELS.sts, allowed: [GATE_LABELS.ocp], kept: true, verdict: 'not-allowed' },
    { label: GATE_LABELS.sts, allowed: [GATE_LABELS.sts], kept: false, verdict: 'not-supported' },
    { label: GATE_LABELS.sts, allowed: [GATE_LABELS.sts], kept: true, verdict: 'agree' },
    { label: 'x/new', allowed: ['x/new'], kept: true, verdict: 'not-supported' },
  ])('$label, where $allowed is allowed and roles are kept: $kept, is $verdict', (given) => {
    const rules = { allowed: new Set<string>(given.allowed), stsRolesKept: given.kept };
    expect(judgeGate(gate('g', '4.13', given.label), rules).verdict).toBe(given.verdict);
  });
});

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
