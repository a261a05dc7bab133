import { describe, expect, it } from 'vitest';
import { type Labels, PREFIX } from '../policies/label-keys.ts';
import { editFaults } from './edit-faults.ts';
import { labelDiff } from './label-diff.ts';

const BLOCKS = 'blocked-versions';
const prefixed = (given: Labels): Labels =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [PREFIX + key, value]));
const names = (length: number, prefix = 'n'): string => Array.from({ length }, (_, at) => `${prefix}${at}`).join(',');

function messages(current: Labels, desired: Labels): string[] {
  const [from, to] = [prefixed(current), prefixed(desired)];
  return editFaults(
    from,
    labelDiff(from, to, () => true),
  ).flatMap(({ severity, message }) => (severity === 'error' ? [message] : []));
}

describe('what an edit makes worse', () => {
  const two = { 'sector-deps.a': 'b', 'sector-deps.b': 'a', 'sector-deps.c': 'd', 'sector-deps.d': 'c' };
  const three = { 'sector-deps.a': 'b', 'sector-deps.b': 'c', 'sector-deps.c': 'a' };
  it.each([
    { edit: 'a block beside a bad one', from: { [BLOCKS]: '(' }, to: { [BLOCKS]: '(,^4$' }, says: [] },
    { edit: 'one of two bad blocks removed', from: { [BLOCKS]: '(,[' }, to: { [BLOCKS]: '[' }, says: [] },
    { edit: 'a bad block in place of another', from: { [BLOCKS]: '(' }, to: { [BLOCKS]: '[' }, says: ['"["'] },
    { edit: 'a list too long made shorter', from: { [BLOCKS]: names(203) }, to: { [BLOCKS]: names(202) }, says: [] },
    {
      edit: 'a list made too long',
      from: { [BLOCKS]: names(200) },
      to: { [BLOCKS]: names(201) },
      says: ['201 members'],
    },
    { edit: 'a new list that is too long', from: {}, to: { [BLOCKS]: names(201) }, says: ['201 members'] },
    { edit: 'the first of two cycles removed', from: two, to: { ...two, 'sector-deps.b': '' }, says: [] },
    { edit: 'the second of two cycles removed', from: two, to: { ...two, 'sector-deps.d': '' }, says: [] },
    { edit: 'a dependency into a cycle', from: two, to: { ...two, 'sector-deps.x': 'a' }, says: [] },
    { edit: 'a dependency out of a cycle', from: two, to: { ...two, 'sector-deps.a': 'b,x' }, says: [] },
    {
      edit: 'two cycles joined',
      from: two,
      to: { ...two, 'sector-deps.a': 'b,c', 'sector-deps.d': 'c,b' },
      says: ['a → c → d → b → a'],
    },
    { edit: 'a shorter cycle within one', from: three, to: { ...three, 'sector-deps.b': 'c,a' }, says: ['b → a → b'] },
    { edit: 'a sector that needs itself', from: two, to: { ...two, 'sector-deps.x': 'x' }, says: ['x → x'] },
    {
      edit: 'a cycle moved',
      from: two,
      to: { ...two, 'sector-deps.b': 'x', 'sector-deps.x': 'a' },
      says: ['b → x → a → b'],
    },
    {
      edit: 'too many sectors made fewer',
      from: { 'sector-deps.a': names(150), 'sector-deps.b': names(150, 'm') },
      to: { 'sector-deps.a': names(149), 'sector-deps.b': names(150, 'm') },
      says: [],
    },
    {
      edit: 'sectors made too many',
      from: { 'sector-deps.a': names(150) },
      to: { 'sector-deps.a': names(150), 'sector-deps.b': names(150, 'm') },
      says: ['302 sectors'],
    },
    {
      edit: 'one bad limit for another',
      from: { 'sector-max-parallel-upgrades.a': 'x' },
      to: { 'sector-max-parallel-upgrades.a': 'y' },
      says: ['"y"'],
    },
  ])('$edit: $says', ({ from, to, says }) => {
    expect(messages(from as Labels, to as Labels)).toEqual(says.map((each) => expect.stringContaining(each)));
  });
});
