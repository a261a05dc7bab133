import { describe, expect, it } from 'vitest';
import { at, cluster, organization } from '../../../../test/support/upgrade-facts.ts';
import { GATE_LABELS } from '../../policies/version-gate-labels.ts';
import { contextOf } from '../context.ts';
import { EMPTY_LEDGER } from '../ledger.ts';
import { DEFAULT_RULES } from '../rules.ts';
import type { Version } from '../versions.ts';
import { missingGates, versionGateGate } from './version-gate.ts';

const GATES = [
  { id: 'ocp15', prefix: '4.15', label: GATE_LABELS.ocp },
  { id: 'sts15', prefix: '4.15', label: GATE_LABELS.sts },
  { id: 'new15', prefix: '4.15', label: 'api.openshift.com/gate-new' },
  { id: 'ocp14', prefix: '4.14', label: GATE_LABELS.ocp },
  { id: 'ingress16', prefix: '4.16', label: GATE_LABELS.ingress },
];

function ask(version: string, { sts = false, agreed = [] as readonly string[], from = '4.14.1', gates = GATES } = {}) {
  const one = cluster('c', { sts, version: from });
  const facts = organization({ gates, agreements: new Map([[one.id, new Set(agreed)]]) });
  const context = contextOf(facts, EMPTY_LEDGER, at('2024-03-01T10:00:00Z'), DEFAULT_RULES);
  const minor = version.split('.').slice(0, 2).join('.');
  return { ...versionGateGate(one, version as Version, context), missing: missingGates(one, minor, context) };
}

describe('the gate of version gates', () => {
  it.each([
    { given: 'the minor that it has', version: '4.14.9', options: {}, missing: [] },
    { given: 'the next minor', version: '4.15.0', options: {}, missing: [GATE_LABELS.ocp] },
    {
      given: 'the next minor with STS',
      version: '4.15.0',
      options: { sts: true },
      missing: [GATE_LABELS.ocp, GATE_LABELS.sts],
    },
    { given: 'an agreed minor', version: '4.15.0', options: { agreed: ['ocp15'] }, missing: [] },
    { given: 'a minor past another', version: '4.16.0', options: {}, missing: [GATE_LABELS.ingress] },
    { given: 'a minor of the next major', version: '4.15.0', options: { from: '3.20.0' }, missing: [GATE_LABELS.ocp] },
    { given: 'an earlier minor of this major', version: '4.15.0', options: { from: '4.16.0' }, missing: [] },
    { given: 'a minor without gates', version: '4.17.0', options: {}, missing: [] },
  ])('for $given lacks $missing', ({ version, options, missing }) => {
    const told = ask(version, options);
    expect(told.missing).toEqual(missing);
    expect(told.ok).toBe(missing.length === 0);
  });

  it('names what is not agreed', () => {
    expect(ask('4.15.0').reason).toBe('not agreed for 4.15: api.openshift.com/gate-ocp');
  });

  it('names it in the same order, in whatever order OCM lists the gates', () => {
    const told = [GATES, GATES.toReversed()].map((gates) => ask('4.15.0', { sts: true, gates }).reason);
    expect(told).toEqual(Array(2).fill(`not agreed for 4.15: ${GATE_LABELS.ocp}, ${GATE_LABELS.sts}`));
  });
});
