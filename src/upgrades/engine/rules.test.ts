import { describe, expect, it } from 'vitest';
import { EchelonError } from '../../base/index.ts';
import { DEFAULT_RULES, parseRules, QONTRACT_RULES, RULE_NAMES, type Rules } from './rules.ts';

const on = (rules: Rules): string[] => RULE_NAMES.filter((name) => rules[name]);

describe('rules', () => {
  it('are all on by default, and all off for the existing scheduler', () => {
    expect(on(DEFAULT_RULES)).toEqual(RULE_NAMES);
    expect(on(QONTRACT_RULES)).toEqual([]);
  });

  it.each([
    { text: 'default', names: RULE_NAMES },
    { text: 'qontract', names: [] },
    { text: 'healthGate', names: ['healthGate'] },
    { text: 'cancelOnBlock, healthGate', names: ['healthGate', 'cancelOnBlock'] },
    { text: 'qontract,healthGate', names: ['healthGate'] },
    { text: '-healthGate', names: RULE_NAMES.filter((name) => name !== 'healthGate') },
    { text: 'default,-healthGate', names: RULE_NAMES.filter((name) => name !== 'healthGate') },
    { text: 'healthGate,-healthGate', names: [] },
  ])('"$text" are $names', ({ text, names }) => {
    expect(on(parseRules(text))).toEqual(names);
  });

  it.each([
    { text: 'healthgate', hint: 'did you mean healthGate?' },
    { text: 'qontract,', hint: 'use qontract, or some of: observedSoakOnly' },
    { text: '', hint: 'use qontract, or some of:' },
    { text: 'healthGate,default', hint: 'did you mean default?' },
  ])('"$text" are refused: $hint', ({ text, hint }) => {
    const refused = (): unknown => parseRules(text);
    expect(refused).toThrow(EchelonError);
    expect(refused).toThrow(expect.objectContaining({ code: 'FLAG_INVALID', hint: expect.stringContaining(hint) }));
  });
});
