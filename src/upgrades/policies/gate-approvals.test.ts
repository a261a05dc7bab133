import { describe, expect, it } from 'vitest';
import { enabledGates } from './gate-approvals.ts';

describe('gates that may be agreed to', () => {
  it.each([
    { label: undefined, gates: ['api.openshift.com/gate-ocp'] },
    { label: '', gates: ['api.openshift.com/gate-ocp'] },
    { label: ' , ', gates: ['api.openshift.com/gate-ocp'] },
    { label: 'a, b ,a', gates: ['a', 'b'] },
  ])('by $label are $gates', ({ label, gates }) => {
    expect([...enabledGates(label, { strict: true })]).toEqual(gates);
  });
});
