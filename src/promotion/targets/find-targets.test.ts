import { describe, expect, it } from 'vitest';
import { defined } from '../../base/index.ts';
import { checkForm, written } from './find-targets.ts';
import type { Form, Target } from './promotion-file.ts';

const COMMIT = '8c41f7e00cea9a802e72220cedf295ca087bbe5f';
const DIGEST = `sha256:${'ab'.repeat(32)}`;

describe('a version is written', () => {
  it.each([
    { form: 'short', text: '8c41f7e' },
    { form: 'short', length: 12, text: '8c41f7e00cea' },
    { form: 'full', text: COMMIT },
    { form: 'digest', text: undefined },
    { form: 'digest', digest: DIGEST, text: DIGEST },
    { form: 'tag', text: '8c41f7e' },
    { form: 'tag', tag: 'v1.2.3', text: 'v1.2.3' },
    { form: 'short', tag: 'v1.2.3', text: '8c41f7e' },
  ] as const)('$form of $length as $text', ({ form, text, ...more }) => {
    const { length, ...known } = { length: undefined, ...more };
    expect(written({ commit: COMMIT, hashLength: 7, ...known }, { form, ...(length && { length }) })).toBe(text);
  });
});

const target = (form: Form, length?: number): Target => ({
  ...{ name: 'x', upstream: 'reconcile', file: 'f', key: 'k', form, required: true },
  ...defined({ length }),
});

describe('the value of a target', () => {
  it.each([
    { form: 'short', old: '8c41f7e', moving: false },
    { form: 'short', length: 12, old: '8c41f7e00cea', moving: false },
    { form: 'short', old: 'latest', moving: true },
    { form: 'full', old: 'main', moving: true },
    { form: 'full', old: COMMIT, moving: false },
    { form: 'digest', old: DIGEST, moving: false },
    { form: 'digest', old: '', moving: false },
    { form: 'tag', old: 'v1.2.3', moving: false },
  ] as const)('$old fits $form', ({ form, old, moving, ...more }) => {
    const { length } = { length: undefined, ...more };
    expect(checkForm(target(form, length), old, 'f:1', 7)).toEqual({ moving });
  });

  it.each([
    { form: 'short', old: COMMIT },
    { form: 'short', old: '8C41F7E' },
    { form: 'short', length: 12, old: '8c41f7e' },
    { form: 'full', old: '8c41f7e' },
    { form: 'digest', old: '8c41f7e' },
    { form: 'tag', old: 'a b' },
    { form: 'short', old: '' },
  ] as const)('$old does not fit $form', ({ form, old, ...more }) => {
    const { length } = { length: undefined, ...more };
    expect(() => checkForm(target(form, length), old, 'f:1', 7)).toThrow(
      `target x: f:1 has ${old || 'no value'}, but form ${form} requires`,
    );
  });
});
