import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { EXAMPLE_INSTANCE } from '../../../test/support/shared.ts';
import { atOnce } from '../../base/index.ts';
import { plainYaml } from './plain-yaml.ts';
import { librarySteps } from './yaml11.ts';

const RUNS = Number(process.env['ECHELON_TEXTS'] ?? 1_000);

const texts = readdirSync(join(EXAMPLE_INSTANCE, 'data'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));

/** Whether a text is read here, and then as the library reads it: the same values, and keys in the same order. */
function isReadAlike(text: string): boolean {
  const value = plainYaml(text);
  if (value === undefined) return false;
  const library = atOnce(librarySteps(text));
  if (library.hasDuplicateKeys || !isDeepStrictEqual(value, library.value)) expect({ value }).toEqual(library);
  expect(JSON.stringify(value)).toBe(JSON.stringify(library.value));
  return true;
}

describe('what is read without the library is what the library reads', () => {
  it('of the example, of which that is most', () => {
    expect(texts.filter(isReadAlike).length).toBeGreaterThan(texts.length * 0.7);
  });

  const INSERTED = [
    ...[
      '\n',
      ' ',
      '  ',
      '- ',
      ':',
      ': ',
      '#',
      ' #',
      "'",
      '"',
      '\\',
      '{}',
      '[]',
      '{',
      '}',
      '[',
      ']',
      ',',
      '&a',
      '*a',
      '!!str ',
      '|',
      '>',
      '?',
      '? ',
    ],
    ...[
      '%',
      '@',
      '`',
      '~',
      '<<',
      '=',
      '---',
      '...',
      '--- ',
      '\t',
      '\r\n',
      '\u0085',
      '\u00a0',
      '\u1680',
      '\u2028',
      '\u3000',
      '\ufeff',
      '😀',
      'ü',
      '\0',
      '\u007f',
    ],
    ...[
      'yes',
      'null',
      'Null',
      'nULL',
      'on',
      'y',
      '0x1f',
      '017',
      '08',
      '1_000',
      '1:30',
      '-.5',
      '+.5',
      '.5',
      '.inf',
      '-1',
      '1e3',
      '1.',
      '2024-01-01',
      '0o7',
    ],
    ...[
      '__proto__',
      'constructor',
      '$ref',
      'a: b',
      'a:\n',
      '- a: b\n',
      '- - a',
      '-',
      '\n- ',
      '\n  ',
      '9007199254740993',
      '0b11',
      '1__',
      '"a\\nb"',
      "'it''s'",
      '_1',
    ],
  ];

  it('of the example, edited anywhere', () => {
    let read = 0;
    const edit = fc.tuple(fc.nat(), fc.nat(6), fc.constantFrom('', ...INSERTED));
    holds(
      fc.property(fc.constantFrom(...texts), fc.array(edit, { minLength: 1, maxLength: 3 }), (text, edits) => {
        const edited = edits.reduce(
          (before, [place, removed, inserted]) => {
            const at = place % (before.length + 1);
            return before.slice(0, at) + inserted + before.slice(at + removed);
          },
          text.slice(0, 600),
        );
        if (isReadAlike(edited)) read += 1;
      }),
      { numRuns: RUNS },
    );
    expect(read).toBeGreaterThan(RUNS / 10);
  });

  it('of any lines', () => {
    let read = 0;
    const odd = fc.array(fc.constantFrom('a', 'b c', ...INSERTED), { maxLength: 3 });
    const scalar = fc.oneof(
      {
        weight: 30,
        arbitrary: fc.constantFrom(
          '',
          '',
          '',
          'a',
          'of words',
          "'q'",
          '"q"',
          '12',
          '4.16.38',
          '{}',
          '[]',
          'h://x:1/y#z',
        ),
      },
      fc.tuple(odd, fc.constantFrom('', ' ')).map(([words, between]) => words.join(between)),
    );
    const line = fc.record({
      move: fc.constantFrom(0, 0, 0, 0, 2, 2, -2, -2, -4),
      shift: usually(0, fc.constantFrom(1, -1)),
      dash: fc.oneof(fc.constant(''), usually('- ', fc.constantFrom('-', '-  ', '- - ', '# '))),
      key: usually<string | undefined>(undefined, fc.constantFrom('k0', ...INSERTED)),
      colon: fc.oneof(
        { weight: 4, arbitrary: fc.constant(': ') },
        usually('', fc.constantFrom(':', ' :', ' : ', ':  ')),
      ),
      scalar,
      rest: usually('', fc.constantFrom(' ', ' # c', '#c', ' #', ' # "q"', '\u3000 # c')),
    });
    holds(
      fc.property(
        fc.array(line, { maxLength: 8 }),
        fc.constantFrom('', '---\n', '# c\n---\n', '\n'),
        (lines, start) => {
          let indent = 0;
          const written = lines.map(({ move, shift, dash, key, colon, scalar: value, rest }, index) => {
            indent = Math.max(0, index === 0 ? 0 : indent + move + shift);
            const name = colon === '' ? '' : `${key ?? `k${index}`}${colon}`;
            return `${' '.repeat(indent)}${dash}${name}${value}${rest}`;
          });
          if (isReadAlike(`${start}${written.join('\n')}`)) read += 1;
        },
      ),
      { numRuns: RUNS * 4 },
    );
    expect(read).toBeGreaterThan(RUNS / 5);
  });
});

function usually<T>(plain: T, otherwise: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 30, arbitrary: fc.constant(plain) }, otherwise);
}
