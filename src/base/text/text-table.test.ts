import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { textTable, widthOf } from './text-table.ts';

const plain = (_: string, text: string): string => text;
const MANY = 200_000;

describe('a table', () => {
  it('shows what would steer a terminal, and stays a table', () => {
    expect(textTable(['A', 'B'], [['a\u001b[2Jb', 'c\nd']], plain)).toBe('A             B\na\\u001b[2Jb   c\\nd\n');
  });

  it('may have any number of rows', () => {
    const text = textTable(['A'], Array(MANY).fill(['a']), plain);
    expect(text).toHaveLength(2 * (MANY + 1));
  });
});

const TITLES = ['NAME', 'STATE', 'IMAGE', 'WHY'];
const ROWS = [
  ['terraform-resources', 'ok', 'quay.io/app-sre/qontract-reconcile:19e1349', 'it is as declared'],
  ['openshift-saas-deploy', 'ok', 'quay.io/app-sre/qontract-reconcile:1ce7279', 'another image than the declared one'],
];
const shown = (width: number, rows: readonly (readonly string[])[] = ROWS): string[] =>
  textTable(TITLES, rows, plain, { width }).split('\n');

describe('a table on a terminal', () => {
  it('names a column with one value above it', () => {
    expect(shown(200)).toEqual([
      'STATE: ok',
      'NAME                    IMAGE                                        WHY',
      'terraform-resources     quay.io/app-sre/qontract-reconcile:19e1349   it is as declared',
      'openshift-saas-deploy   quay.io/app-sre/qontract-reconcile:1ce7279   another image than the declared one',
      '',
    ]);
  });

  it('wraps sentences between words, then cuts images at their start', () => {
    expect(shown(80)).toEqual([
      'STATE: ok',
      'NAME                    IMAGE                           WHY',
      'terraform-resources     …e/qontract-reconcile:19e1349   it is as declared',
      'openshift-saas-deploy   …e/qontract-reconcile:1ce7279   another image than the',
      '                                                        declared one',
      '',
    ]);
  });

  it('cuts names in the middle, since they often begin alike', () => {
    const rows = ['stage', 'production'].map((end) => [
      `app-interface-${end}`,
      `terraform-${end}`,
      '500Mi..900Mi',
      end,
    ]);
    expect(textTable(['ENVIRONMENT', 'NAME', 'MEMORY', 'X'], rows, plain, { width: 40 })).toBe(
      [
        'MEMORY: 500Mi..900Mi',
        'ENVIRONMENT           NAME      X',
        'app-interface-stage   ter…tage  stage',
        'app-inter…production  ter…tion  pro…tion',
        '',
      ].join('\n'),
    );
  });

  it('becomes one record after the other where columns do not fit side by side', () => {
    expect(shown(40, ROWS.slice(1))).toEqual([
      'NAME    openshift-saas-deploy',
      'STATE   ok',
      'IMAGE   quay.io/app-sre/qontract-reconc…',
      'WHY     another image than the declared',
      '        one',
      '',
    ]);
  });

  it('keeps a single row whole, and leaves out columns in which nothing stands', () => {
    expect(textTable(['A', 'B'], [['a', '-']], plain, { width: 80 })).toBe('A   B\na   -\n');
    const twice = [
      ['a', '-'],
      ['b', '-'],
    ];
    expect(textTable(['A', 'B'], twice, plain, { width: 80 })).toBe('A\na\nb\n');
  });

  it('never writes beyond the width, nor breaks a word that fits, and loses no short word', () => {
    const word = fc.stringMatching(/^[a-zé漢]{1,4}$/);
    const cell = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));
    const rows = fc.array(fc.tuple(word, word, cell, cell), { minLength: 1, maxLength: 6 });
    holds(
      fc.property(rows, fc.integer({ min: 40, max: 140 }), (given, width) => {
        const text = textTable(TITLES, given, plain, { width });
        for (const line of text.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(width);
        const words = new Set(text.split(/\s+/));
        for (const row of given) for (const each of row.join(' ').split(' ')) expect(words).toContain(each);
      }),
    );
  });
});
