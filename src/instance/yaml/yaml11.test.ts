import * as fc from 'fast-check';
import { dump } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { keyOf, loadYaml, MAX_EXPANDED_NODES, YamlFault } from './yaml11.ts';

/** Computed with PyYAML 6.0.3, `yaml.load(text, Loader=yaml.CSafeLoader)`. */
const SCALARS: readonly { written: string; value: unknown }[] = [
  { written: 'yes', value: true },
  { written: 'Yes', value: true },
  { written: 'YES', value: true },
  { written: 'no', value: false },
  { written: 'No', value: false },
  { written: 'NO', value: false },
  { written: 'on', value: true },
  { written: 'On', value: true },
  { written: 'ON', value: true },
  { written: 'off', value: false },
  { written: 'Off', value: false },
  { written: 'OFF', value: false },
  { written: 'true', value: true },
  { written: 'True', value: true },
  { written: 'TRUE', value: true },
  { written: 'false', value: false },
  { written: 'False', value: false },
  { written: 'FALSE', value: false },
  { written: 'y', value: 'y' },
  { written: 'Y', value: 'Y' },
  { written: 'n', value: 'n' },
  { written: 'N', value: 'N' },
  { written: 'yEs', value: 'yEs' },
  { written: 'oN', value: 'oN' },
  { written: 'tRUE', value: 'tRUE' },
  { written: 'null', value: null },
  { written: 'Null', value: null },
  { written: 'NULL', value: null },
  { written: 'nULL', value: 'nULL' },
  { written: '~', value: null },
  { written: '0', value: 0 },
  { written: '+12', value: 12 },
  { written: '0123', value: 83 },
  { written: '-012', value: -10 },
  { written: '00', value: 0 },
  { written: '0_7', value: 7 },
  { written: '08', value: '08' },
  { written: '09', value: '09' },
  { written: '0o17', value: '0o17' },
  { written: '0x1F', value: 31 },
  { written: '+0x1f', value: 31 },
  { written: '0x1G', value: '0x1G' },
  { written: '0b101', value: 5 },
  { written: '-0b11', value: -3 },
  { written: '0b12', value: '0b12' },
  { written: '12e4', value: '12e4' },
  { written: '1e3', value: '1e3' },
  { written: '1.5e3', value: '1.5e3' },
  { written: '1.5e+3', value: 1500 },
  { written: '1.5E-3', value: 0.0015 },
  { written: '1.e+3', value: 1000 },
  { written: '1_000', value: 1000 },
  { written: '1__0', value: 10 },
  { written: '12_', value: 12 },
  { written: '_1', value: '_1' },
  { written: '1,000', value: '1,000' },
  { written: '685_230.15', value: 685230.15 },
  { written: '1.', value: 1 },
  { written: '0.0', value: 0 },
  { written: '-0.5', value: -0.5 },
  { written: '.5', value: 0.5 },
  { written: '+.5', value: '+.5' },
  { written: '-.5', value: '-.5' },
  { written: '._5', value: '._5' },
  { written: '.', value: '.' },
  { written: '1.2.3', value: '1.2.3' },
  { written: '.inf', value: Number.POSITIVE_INFINITY },
  { written: '.Inf', value: Number.POSITIVE_INFINITY },
  { written: '-.INF', value: Number.NEGATIVE_INFINITY },
  { written: '+.inf', value: Number.POSITIVE_INFINITY },
  { written: 'inf', value: 'inf' },
  { written: '.nan', value: Number.NaN },
  { written: '.NaN', value: Number.NaN },
  { written: '.Nan', value: '.Nan' },
  { written: 'nan', value: 'nan' },
  { written: '1:30', value: 90 },
  { written: '1:30:45', value: 5445 },
  { written: '-1:30', value: -90 },
  { written: '1:75', value: '1:75' },
  { written: '100:59', value: 6059 },
  { written: '0:30', value: '0:30' },
  { written: '00:30', value: '00:30' },
  { written: '08:30', value: '08:30' },
  { written: '010:30', value: '010:30' },
  { written: '12:30.5', value: 750.5 },
  { written: '0:30.5', value: 30.5 },
  { written: '08:30.5', value: 510.5 },
  { written: '1:3a', value: '1:3a' },
  { written: '9007199254740991', value: 9007199254740991 },
  { written: '-9007199254740991', value: -9007199254740991 },
  { written: "'yes'", value: 'yes' },
  { written: '"0123"', value: '0123' },
  { written: '!!str 0123', value: '0123' },
  { written: 'a#b', value: 'a#b' },
  { written: ':x', value: ':x' },
  { written: 'v1.2.3', value: 'v1.2.3' },
  { written: '1.10', value: 1.1 },
  { written: '12345678901234567890.5', value: 12345678901234567000 },
];

/** What the existing loader makes of a scalar, and what we make of it on purpose. */
const OTHER_SCALARS: readonly { written: string; theirs: string; value: unknown }[] = [
  { written: '2024-01-31', theirs: 'a date', value: '2024-01-31' },
  { written: '2024-01-31 10:00:00', theirs: 'a time', value: '2024-01-31 10:00:00' },
  { written: '2024-01-31T10:00:00Z', theirs: 'a time', value: '2024-01-31T10:00:00Z' },
  { written: '9007199254740992', theirs: 'the integer 2^53', value: '9007199254740992' },
  { written: '-9007199254740993', theirs: 'the integer -2^53 - 1', value: '-9007199254740993' },
  { written: '0x7fffffffffffffff', theirs: 'the integer 2^63 - 1', value: '0x7fffffffffffffff' },
  { written: '123456789012345678901234567890', theirs: 'an integer', value: '123456789012345678901234567890' },
  { written: '0b_', theirs: 'a ValueError', value: '0b_' },
  { written: '0x_', theirs: 'a ValueError', value: '0x_' },
  { written: '=', theirs: 'a ConstructorError', value: '=' },
  { written: '<<', theirs: 'a ConstructorError', value: '<<' },
  { written: '! 12', theirs: 'the integer 12', value: '12' },
  { written: '-0', theirs: 'the integer 0', value: -0 },
];

describe('a plain scalar is read as the existing loader reads it', () => {
  it.each(SCALARS)('$written is $value', ({ written, value }) => {
    expect(loadYaml(`key: ${written}\n`)).toEqual({ value: { key: value }, hasDuplicateKeys: false });
  });

  it.each(OTHER_SCALARS)('but $written is $value, where it gives $theirs', ({ written, value }) => {
    expect(loadYaml(`key: ${written}\n`).value).toEqual({ key: value });
  });

  it('wherever it stands', () => {
    expect(loadYaml('- no\n- [no]\n- {no: no}\n- no\n').value).toEqual([false, [false], { false: false }, false]);
  });
});

/** Values by PyYAML 6.0.3, as `json.dumps` writes them. */
const DOCUMENTS: readonly { given: string; text: string; value: unknown }[] = [
  { given: 'a list at the indentation of its key', text: 'a:\n- 1\n- 2\n', value: { a: [1, 2] } },
  { given: 'flow collections', text: 'a: [1, {b: c}, [], {}]\n', value: { a: [1, { b: 'c' }, [], {}] } },
  { given: 'keys without values in a flow mapping', text: 'a: {b, c: }\n', value: { a: { b: null, c: null } } },
  { given: 'a pair in a flow list', text: 'a: [b: c]\n', value: { a: [{ b: 'c' }] } },
  { given: 'a literal block', text: 'a: |\n  x\n   y\n\n  z\n', value: { a: 'x\n y\n\nz\n' } },
  { given: 'a stripped block', text: 'a: |-\n  x\n\n', value: { a: 'x' } },
  { given: 'a kept block', text: 'a: |+\n  x\n\n', value: { a: 'x\n\n' } },
  { given: 'a folded block', text: 'a: >\n  x\n  y\n\n  z\n', value: { a: 'x y\nz\n' } },
  { given: 'a plain scalar of two lines', text: 'a: x\n  y\n', value: { a: 'x y' } },
  { given: 'a quoted scalar of three lines', text: "a: 'x\n\n  y'\n", value: { a: 'x\ny' } },
  { given: 'an escaped line break', text: 'a: "x \\\n  y"\n', value: { a: 'x y' } },
  { given: 'escapes', text: 'a: "\\x41\\u00e9\\n\\/"\n', value: { a: 'Aé\n/' } },
  { given: 'a doubled quote', text: "a: 'it''s'\n", value: { a: "it's" } },
  { given: 'comments', text: '# c\na: b # c\nc: d#e\nf: # c\n  g: 1\n', value: { a: 'b', c: 'd#e', f: { g: 1 } } },
  { given: 'an explicit key', text: '? a\n: b\n', value: { a: 'b' } },
  { given: 'a key without a value', text: 'a:\n', value: { a: null } },
  { given: 'tags of plain data', text: "a: !!int '0x1F'\nb: !!str\nc: !!map {}\n", value: { a: 31, b: '', c: {} } },
  { given: 'a directive', text: '%YAML 1.1\n---\na: yes\n', value: { a: true } },
  { given: 'document markers', text: '---\na: 1\n...\n', value: { a: 1 } },
  { given: 'an alias', text: 'a: &x [1]\nb: *x\n', value: { a: [1], b: [1] } },
  {
    given: 'a merge',
    text: 'b: &b {x: 1, y: 2}\nc:\n  <<: *b\n  y: 3\n',
    value: { b: { x: 1, y: 2 }, c: { x: 1, y: 3 } },
  },
  { given: 'a merge below', text: 'b: &b {x: 1}\nc:\n  x: 2\n  <<: *b\n', value: { b: { x: 1 }, c: { x: 2 } } },
  { given: 'a merge of a list', text: '<<: [{a: 1}, {a: 2, b: 3}]\n', value: { a: 1, b: 3 } },
  { given: 'a merge of a merge', text: 'b: &b {<<: {z: 1}}\nc: {<<: *b}\n', value: { b: { z: 1 }, c: { z: 1 } } },
  { given: 'CRLF', text: 'a: |\r\n  x\r\n  y\r\nb:\r\n  - 2\r\n', value: { a: 'x\ny\n', b: [2] } },
  { given: 'tabs between tokens', text: 'a:\tb\t# c\n', value: { a: 'b' } },
  { given: 'a byte order mark', text: '\ufeffa: 1\n', value: { a: 1 } },
  { given: 'keys that are no text', text: 'yes: 1\n~: 2\n0x10: 3\n', value: { true: 1, null: 2, 16: 3 } },
  { given: 'keys of every object', text: 'constructor: 1\ntoString: 2\n', value: { constructor: 1, toString: 2 } },
  { given: 'an empty key', text: "'': 1\n", value: { '': 1 } },
  { given: 'what only begins like a merge', text: 'a: <<b\nc: =d\n', value: { a: '<<b', c: '=d' } },
  { given: 'a flow list closed at its key', text: 'a: [\n1\n]\n', value: { a: [1] } },
  { given: 'a quoted scalar that ends at its key', text: 'a: "x\ny"\n', value: { a: 'x y' } },
];

/** Where a whole document has another value than in the existing loader: rare, known, and pinned. */
const OTHER_DOCUMENTS: readonly { given: string; text: string; theirs: unknown; value: unknown }[] = [
  { given: 'a last block without a line end', text: 'a: |\n  x', theirs: { a: 'x' }, value: { a: 'x\n' } },
  { given: 'a colon in the name of an anchor', text: 'a: &x:y z\n', theirs: { a: ':y z' }, value: { a: 'z' } },
  { given: 'a key that is a whole float', text: '1.0: x\n', theirs: { '1.0': 'x' }, value: { 1: 'x' } },
  {
    given: 'two merges of one key',
    text: 'c:\n  <<: {x: 1}\n  <<: {x: 2}\n',
    theirs: { c: { x: 2 } },
    value: { c: { x: 1 } },
  },
];

describe('a document is read as the existing loader reads it', () => {
  it.each(DOCUMENTS)('with $given', ({ text, value }) => {
    expect(loadYaml(text)).toEqual({ value, hasDuplicateKeys: false });
  });

  it.each(OTHER_DOCUMENTS)('but for $given', ({ text, value, theirs }) => {
    expect(loadYaml(text).value).toEqual(value);
    expect(value).not.toEqual(theirs);
  });

  it('a key __proto__ is a key and changes no prototype', () => {
    const value = loadYaml('__proto__: {polluted: 1}\na: {__proto__: 2}\n').value as Record<string, object>;
    expect(Object.keys(value)).toEqual(['__proto__', 'a']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
  });
});

describe('of two equal keys the last wins, and it is told', () => {
  it.each([
    { given: 'in a block', text: 'a: 1\nb: 2\na: 3\n', value: { a: 3, b: 2 } },
    { given: 'in a flow mapping', text: '{a: 1, a: 2}\n', value: { a: 2 } },
    { given: 'quoted and plain', text: 'a: 1\n"a": 2\n', value: { a: 2 } },
    { given: 'that are the same boolean', text: 'yes: 1\ntrue: 2\n', value: { true: 2 } },
    { given: 'that are the same number', text: '16: 1\n0x10: 2\n', value: { 16: 2 } },
    { given: 'beside a flow list closed at its key', text: 'a: [\n1\n]\nb: 1\nb: 2\n', value: { a: [1], b: 2 } },
    { given: '__proto__', text: '__proto__: 1\n__proto__: 2\n', value: JSON.parse('{"__proto__": 2}') },
  ])('$given', ({ text, value }) => {
    expect(loadYaml(text)).toEqual({ value, hasDuplicateKeys: true });
  });

  it('a key that also comes by a merge does not stand twice', () => {
    expect(loadYaml('b: &b {x: 1}\nc:\n  <<: *b\n  x: 2\n').hasDuplicateKeys).toBe(false);
  });
});

describe('what is refused', () => {
  it.each([
    { given: '!!binary', text: 'a: !!binary aGk=\n', says: 'unknown scalar tag', offset: 3 },
    { given: '!!set', text: 'a: !!set {x}\n', says: 'unknown mapping tag', offset: 3 },
    { given: '!!omap', text: 'a: !!omap [x: 1]\n', says: 'unknown sequence tag', offset: 3 },
    { given: '!!pairs', text: 'a: !!pairs [x: 1]\n', says: 'unknown sequence tag', offset: 3 },
    { given: '!!timestamp', text: 'a: !!timestamp 2024-01-31\n', says: 'unknown scalar tag', offset: 3 },
    { given: 'a tag of code', text: 'a: !!python/object:os.system x\n', says: 'unknown scalar tag', offset: 3 },
    { given: 'a tag of its own', text: 'a:\n  - !vault x\n', says: 'unknown scalar tag !<!vault>', offset: 7 },
    { given: 'a tag that does not fit', text: 'a: !!int x\n', says: 'cannot resolve', offset: 3 },
    { given: 'a whole number as !!float', text: 'a: !!float 1\n', says: 'cannot resolve', offset: 3 },
    { given: 'y as !!bool', text: 'a: !!bool y\n', says: 'cannot resolve', offset: 3 },
    { given: 'a list as a key', text: 'a: 1\n? [x]\n: b\n', says: 'complex keys', offset: 0 },
    { given: 'a merge of a scalar', text: 'a: 1\n<<: 1\n', says: 'cannot merge', offset: 5 },
    { given: 'an alias of nothing', text: 'a: *x\n', says: 'unidentified alias "x"', offset: 4 },
    { given: 'an alias of what comes later', text: 'a: *x\nb: &x 1\n', says: 'unidentified alias', offset: 4 },
    { given: 'a tab that indents', text: 'a:\n\tb: 1\n', says: 'tab characters', offset: 3 },
    { given: 'a reserved character', text: 'a: @x\n', says: 'bad indentation', offset: 3 },
    { given: 'a control character', text: 'a: x\u0007\n', says: 'non-printable', offset: 4 },
    { given: 'a null byte', text: 'a: \u0000\n', says: 'null byte', offset: 3 },
    { given: 'a second key on a line', text: 'a: b: c\n', says: 'bad indentation', offset: 4 },
    { given: 'an open bracket', text: 'a: [1, 2', says: 'end of the stream', offset: 8 },
    { given: 'an open quote', text: 'a: "x', says: 'end of the stream', offset: 5 },
    { given: 'a tab before a flow list', text: 'x:\na: \t[1]\n', says: 'deficient indentation', offset: 8 },
    { given: 'too many levels', text: '['.repeat(200), says: 'nesting exceeded', offset: 99 },
    { given: 'a second document', text: 'a: 1\n---\nb: 2\n', says: 'single document', offset: undefined },
    { given: 'nothing', text: '', says: 'input is empty', offset: undefined },
    { given: 'only comments', text: '# c\n', says: 'input is empty', offset: undefined },
    { given: 'a fault after a padded line', text: 'a: [\n1\n]\nb: *x\n', says: 'unidentified alias', offset: 13 },
    { given: 'a bracket that stays open', text: 'a: [\nb: 1\nc: 2\n', says: 'deficient indentation', offset: 5 },
  ])('$given', ({ text, says, offset }) => {
    const fault = faultOf(text);
    expect(fault.message).toContain(says);
    expect(fault.offset).toBe(offset);
  });

  it.each([
    { given: 'in a list', text: 'a: &a [*a]\n' },
    { given: 'in a mapping', text: 'a: &a\n  b: *a\n' },
    { given: 'far below', text: 'a: &a {b: [{c: *a}]}\n' },
  ])('an alias of what contains it, $given', ({ text }) => {
    expect(faultOf(text).message).toBe('an alias refers to a node that contains it');
  });

  it('aliases that stand for more nodes than a file may have', () => {
    expect(faultOf(laughs(9)).message).toMatch(/^its aliases expand to 1\.2e\+9 nodes, more than the limit of 200000$/);
  });

  it('but not aliases that stand for as many as it may have', () => {
    const twice = `a: &a [${'x,'.repeat(MAX_EXPANDED_NODES / 4)}]\nb: *a\n`;
    expect(Object.keys(loadYaml(twice).value as object)).toEqual(['a', 'b']);
    expect(faultOf(`${twice}c: [*a, *a]\n`).message).toContain('aliases');
  });

  it('merges that stand for too many keys', () => {
    const keys = Array.from({ length: 200 }, (_, index) => `k${index}: 1`).join(', ');
    const uses = Array.from({ length: 100 }, (_, index) => `u${index}: {<<: *a}`).join('\n');
    expect(faultOf(`a: &a {${keys}}\n${uses}\n`).message).toContain('merge keys exceeded');
  });
});

describe('the key of a plain scalar', () => {
  it.each([
    { plain: 'name', key: 'name' },
    { plain: 'on', key: 'true' },
    { plain: 'y', key: 'y' },
    { plain: '~', key: 'null' },
    { plain: '', key: 'null' },
    { plain: '017', key: '15' },
    { plain: '1.50', key: '1.5' },
    { plain: '9007199254740993', key: '9007199254740993' },
    { plain: '<<', key: '<<' },
  ])('$plain is $key', ({ plain, key }) => {
    expect(keyOf(plain)).toBe(key);
  });

  it('is the key that the loaded mapping has', () => {
    const plain = fc.oneof(
      fc.constantFrom(...SCALARS.map(({ written }) => written).filter((written) => /^[-+.\w:~]+$/.test(written))),
      fc.string({ unit: fc.constantFrom(...'0123456789_.:-+exob') }).filter((text) => /^[\d.+][\w.:+-]*\w$/.test(text)),
    );
    fc.assert(
      fc.property(plain, (written) => {
        expect(Object.keys(loadYaml(`? ${written}\n: 1\n`).value as object)).toEqual([keyOf(written)]);
      }),
    );
  });
});

describe('what js-yaml writes is read back', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom(' ', '\n', '\t', '\r', '-', ':', '#', '"', "'", '[', '}', '|', '>', 'a', '\u2028'),
    }),
    fc.constantFrom(...SCALARS.map(({ written }) => written), ...OTHER_SCALARS.map(({ written }) => written)),
    fc.constantFrom('---', '...', '- a', '? a', 'a: b', '&a', '*a', '!a', '%a', '@a', '`a', '\ufeff', '\u0085', '<<'),
  );
  const number = fc
    .oneof(fc.integer(), fc.maxSafeInteger(), fc.double({ noNaN: true }))
    .filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 1e21);
  const { value: anything } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(text, number, fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    ),
  }));

  it.each([
    { as: 'blocks', options: {} },
    { as: 'flow collections', options: { flowLevel: 0 } },
    { as: 'narrow lines', options: { lineWidth: 8, indent: 3 } },
    { as: 'lists at the indentation of their keys', options: { seqNoIndent: true } },
    { as: 'double quotes', options: { forceQuotes: true, quoteStyle: 'double' as const } },
  ])('as $as', ({ options }) => {
    fc.assert(
      fc.property(anything, (value) => {
        expect(loadYaml(dump(value, options)).value).toEqual(value);
      }),
      { numRuns: 300 },
    );
  });
});

function faultOf(text: string): YamlFault {
  try {
    loadYaml(text);
  } catch (thrown) {
    if (thrown instanceof YamlFault) return thrown;
    throw thrown;
  }
  throw new Error(`nothing is wrong with ${JSON.stringify(text.slice(0, 100))}`);
}

/** Ten to the power of `levels` from as many lines. */
function laughs(levels: number): string {
  const lines = Array.from({ length: levels }, (_, level) => {
    const ten = Array(10).fill(level === 0 ? 'ha' : `*l${level - 1}`);
    return `l${level}: &l${level} [${ten.join(', ')}]\n`;
  });
  return lines.join('');
}
