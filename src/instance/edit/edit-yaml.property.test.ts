import * as fc from 'fast-check';
import { CORE_SCHEMA, loadAll, YAML11_SCHEMA } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { type Part, yamlTexts } from '../../../test/support/yaml-texts.ts';
import { EchelonError, isJson } from '../../base/index.ts';
import type { KeyPath } from '../problem.ts';
import { loadYamlDocuments } from '../yaml/yaml11.ts';
import { editYaml } from './edit-yaml.ts';

const AMBIGUOUS = [
  ...[
    '1234567',
    '0123456',
    '12345e7',
    '1e10',
    '0x1f',
    '0b1',
    '0o7',
    '0b10110',
    '1_000',
    '1:30',
    '190:20:30',
    '1:30.5',
    '.5',
    '5.',
  ],
  ...[
    '-1',
    '+1',
    '0',
    '00',
    '08',
    '.inf',
    '-.INF',
    '.NaN',
    '2024-01-01',
    '2024-1-1',
    '2001-12-14t21:59:43.10-05:00',
    '1.2.3',
  ],
  ...['true', 'True', 'FALSE', 'yes', 'No', 'on', 'OFF', 'y', 'N', 'null', 'NULL', '~', '=', '<<', ''],
  ...[
    'a: b',
    'a:',
    'a #b',
    '#a',
    '- a',
    '-',
    '? a',
    '?',
    ':',
    ': a',
    '[a',
    '{a',
    ']',
    '}',
    ',a',
    '&a',
    '*a',
    '!a',
    '|',
    '>',
    '%a',
    '@a',
    '`a',
  ],
  ...[
    "'a'",
    '"a"',
    "it's",
    ' a',
    'a ',
    'a\tb',
    '\ta',
    '---',
    '--- a',
    '...',
    '... a',
    'a\nb',
    'a\r\nb',
    '\u0085',
    '\u2028',
    '\ufeff',
    '\0',
    '\x7f',
  ],
  ...[
    'a, b',
    'a]b',
    'a}b',
    'x:y',
    'a?b',
    '😀',
    'sha256:abc',
    'd90b2ac',
    '8c41f7e',
    'quay.io/a/b:c@sha256:0',
    'a\\b',
    '\\n',
    '${x}',
  ],
];

const value = fc.oneof(
  fc.constantFrom(...AMBIGUOUS),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.stringMatching(/^[0-9a-f]{7}$/),
);

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);

function valueAt(model: unknown, path: KeyPath): unknown {
  return path.reduce(
    (at: unknown, step) => (Array.isArray(at) || isJson(at) ? (at as Record<string, unknown>)[step] : undefined),
    model,
  );
}

/** Replaces by assignment, in a copy that shares nothing. */
function assigned(model: unknown, edits: ReadonlyMap<KeyPath, string>): unknown {
  const copy = structuredClone(model);
  for (const [path, wanted] of edits) {
    const parent = valueAt(copy, path.slice(0, -1)) as Record<string | number, unknown>;
    parent[path.at(-1) as string] = wanted;
  }
  return copy;
}

const READERS = {
  'the reader of instances': (text: string) => loadYamlDocuments(text.replace(/^\ufeff/, '')),
  'YAML 1.1': (text: string) => loadAll(text, { schema: YAML11_SCHEMA }),
  'YAML 1.2': (text: string) => loadAll(text, { schema: CORE_SCHEMA }),
};

/** The texts in which a value may be written, by its first character. */
function isWriting(written: string, old: string, wanted: string): boolean {
  const quote = /^['"]/.exec(old)?.[0] ?? '';
  const own = /^['"]/.exec(written)?.[0] ?? '';
  if (own === '') return quote === '' && written === wanted;
  if (own === "'") return quote !== '"' && written === `'${wanted.replaceAll("'", "''")}'`;
  return JSON.parse(written) === wanted;
}

/** Follows the parts through the new text: fixed ones must be there to the byte, the others must be the values wanted. */
function follow(parts: readonly Part[], after: string, edits: ReadonlyMap<KeyPath, string>): void {
  let at = 0;
  const literal = (text: string): void => {
    expect(after.slice(at, at + text.length)).toBe(text);
    at += text.length;
  };
  for (const [index, part] of parts.entries()) {
    const wanted = typeof part === 'string' ? undefined : edits.get(part.path);
    if (typeof part === 'string') literal(part);
    else if (wanted === undefined) literal(part.written);
    else {
      const rest = restLength(parts.slice(index + 1), after, edits, at);
      const written = after.slice(at, rest);
      expect(isWriting(written, part.written, wanted), `${written} for ${JSON.stringify(wanted)}`).toBe(true);
      at = rest;
    }
  }
  expect(at).toBe(after.length);
}

/** Where a scalar ends: at its closing quote, or where the fixed parts up to the next edit begin. */
function restLength(rest: readonly Part[], after: string, edits: ReadonlyMap<KeyPath, string>, at: number): number {
  const quoted = /'(?:[^']|'')*'|"(?:[^"\\]|\\.)*"/y;
  quoted.lastIndex = at;
  if (quoted.test(after)) return quoted.lastIndex;
  const next = rest.findIndex((part) => typeof part !== 'string' && edits.has(part.path));
  const fixed = rest
    .slice(0, next === -1 ? undefined : next)
    .map((part) => (typeof part === 'string' ? part : part.written));
  if (next === -1) return after.length - fixed.join('').length;
  return after.indexOf(fixed.join(''), at);
}

const textOf = (parts: readonly Part[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : part.written)).join('');
const scalarsOf = (parts: readonly Part[]) => parts.filter((part) => typeof part !== 'string');

describe('P3: a promotion changes exactly the intended scalars, byte-exact elsewhere', () => {
  it('for any YAML text, any scalars of it and any values', () => {
    let edited = 0;
    holds(
      fc.property(
        yamlTexts,
        fc.array(fc.tuple(fc.nat(), value), { minLength: 1, maxLength: 4 }),
        ({ parts }, picks) => {
          const scalars = scalarsOf(parts);
          fc.pre(scalars.length > 0);
          const edits = new Map(
            picks.map(([pick, wanted]) => [scalars[pick % scalars.length]?.path ?? [], wanted] as const),
          );
          const before = textOf(parts);
          const given = encode(before);
          const kept = given.slice();
          const { bytes, scalars: told } = editYaml(
            'a.yml',
            given,
            [...edits].map(([path, wanted]) => ({ path, value: wanted })),
          );
          const after = decode(bytes);
          expect(given).toEqual(kept);
          follow(parts, after, edits);
          for (const [name, read] of Object.entries(READERS)) {
            expect(read(after), name).toEqual(read(before).map((model) => assigned(model, edits)));
          }
          expect(told.map(({ value: wanted }) => wanted)).toEqual([...edits.values()]);
          edited += 1;
        },
      ),
      { numRuns: 400 },
    );
    expect(edited).toBeGreaterThan(100);
  });

  it('gives the bytes back when every value is there already', () => {
    holds(
      fc.property(yamlTexts, ({ parts }) => {
        const given = encode(textOf(parts));
        const [model] = READERS['the reader of instances'](textOf(parts));
        const edits = scalarsOf(parts).flatMap(({ path, written }) => {
          const now = valueAt(model, path);
          return typeof now === 'string' && !AMBIGUOUS.includes(written) ? [{ path, value: now }] : [];
        });
        expect(editYaml('a.yml', given, edits).bytes).toBe(given);
      }),
    );
  });

  it('refuses what cannot be changed alone, and says where', () => {
    let refused = 0;
    holds(
      fc.property(yamlTexts, ({ parts, traps }) => {
        for (const path of traps) {
          const given = encode(textOf(parts));
          expect(() => editYaml('a.yml', given, [{ path, value: 'new' }])).toThrow(EchelonError);
          expect(() => editYaml('a.yml', given, [{ path, value: 'new' }])).toThrow(/^a\.yml:\d+: /);
          refused += 1;
        }
      }),
    );
    expect(refused).toBeGreaterThan(10);
  });

  it.each(AMBIGUOUS.map((wanted) => ({ wanted })))(
    '$wanted stays text for readers of YAML 1.1 and 1.2',
    ({ wanted }) => {
      for (const before of [
        'ref: abc # c\n',
        "ref: 'abc'\n",
        'ref: "abc"',
        'ref: 12\n',
        'x: [{ref: abc}, 1]\n',
        '{ref: abc}',
      ]) {
        const path = before.startsWith('x') ? ['x', 0, 'ref'] : ['ref'];
        const after = decode(editYaml('a.yml', encode(before), [{ path, value: wanted }]).bytes);
        for (const [name, read] of Object.entries(READERS)) {
          expect({ name, value: valueAt(read(after)[0], path) }).toEqual({ name, value: wanted });
        }
      }
    },
  );

  it.each(['d90b2ac', '8c41f7e', 'master', '1.17.1-9', 'sha256:abc', 'v1.2.3', 'a-b_c.d/e'])(
    '%s needs no quotes',
    (wanted) => {
      expect(decode(editYaml('a.yml', encode('ref: abc\n'), [{ path: ['ref'], value: wanted }]).bytes)).toBe(
        `ref: ${wanted}\n`,
      );
    },
  );

  it.each(['1.2.3', '=', 'y', '1:30.5', '2024-1-1 x'])(
    '%s gets quotes, because some readers take it for something else',
    (wanted) => {
      expect(decode(editYaml('a.yml', encode('ref: abc\n'), [{ path: ['ref'], value: wanted }]).bytes)).toBe(
        `ref: '${wanted}'\n`,
      );
    },
  );
});
