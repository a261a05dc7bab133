import { describe, expect, it } from 'vitest';
import { firstClosed, gateList, rowOf } from './gate.ts';
import { broken, pass, wait } from './verdict.ts';

describe('a list of gates', () => {
  const list = gateList([{ name: 'window' }, { name: 'soak' }]);

  it('keeps its rows in order, and finds the one that gave a verdict', () => {
    expect([...list.keys()]).toEqual(['window', 'soak']);
    expect(rowOf(list, pass('soak', '…'))).toEqual({ name: 'soak' });
  });

  it('refuses two rows of one name, and verdicts of a gate that it does not have', () => {
    expect(() => gateList([{ name: 'soak' }, { name: 'soak' }])).toThrow('the same name');
    expect(() => rowOf(list, wait('freeze', '…'))).toThrow('no gate is named freeze');
  });
});

describe('the first gate that says no', () => {
  it.each([
    { verdicts: [], gate: undefined },
    { verdicts: [pass('window', '…'), pass('soak', '…')], gate: undefined },
    { verdicts: [pass('window', '…'), wait('soak', '…'), wait('freeze', '…')], gate: 'soak' },
    { verdicts: [broken('window', 'cluster', '…'), wait('soak', '…')], gate: 'window' },
  ])('is $gate', ({ verdicts, gate }) => {
    expect(firstClosed(verdicts)?.gate).toBe(gate);
  });
});
