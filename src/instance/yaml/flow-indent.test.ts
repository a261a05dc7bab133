import * as fc from 'fast-check';
import { dump, load, parseEvents } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { readPadded } from './flow-indent.ts';

describe('a flow collection that is not deeper than its key', () => {
  it.each([
    { given: 'closed at its key', text: 'a: [\n  1,\n]\nb: 2\n', value: { a: [1], b: 2 } },
    { given: 'empty and closed at its key', text: 'a: {\n}\nb: [\n]\n', value: { a: {}, b: [] } },
    { given: 'with entries at its key', text: 'a: {\nb: 1,\nc: 2\n}\n', value: { a: { b: 1, c: 2 } } },
    { given: 'below a key, closed at that key', text: 'a:\n  b: [\n    1\n  ]\n', value: { a: { b: [1] } } },
    { given: 'closed left of its key', text: 'a:\n    b: [\n1\n  ]\n', value: { a: { b: [1] } } },
    { given: 'in a list', text: 'a:\n  - [\n  1\n  ]\n  - x\n', value: { a: [[1], 'x'] } },
    { given: 'inside another', text: 'a: {\n  b: [\n  1\n  ]\n}\n', value: { a: { b: [1] } } },
    { given: 'with a comment and an empty line', text: 'a: [\n# c\n\n1\n]\n', value: { a: [1] } },
    { given: 'after an anchor', text: 'a: &x [\n1\n]\nb: *x\n', value: { a: [1], b: [1] } },
    { given: 'indented with tabs', text: 'a: [\n\t1\n]\n', value: { a: [1] } },
    { given: 'with CRLF', text: 'a: [\r\n1\r\n]\r\nb: 2\r\n', value: { a: [1], b: 2 } },
    { given: 'with line ends of an old Mac', text: 'a: [\r1\r]\rb: 2\r', value: { a: [1], b: 2 } },
    { given: 'deeper than one padding', text: `${nested(30)}[\n1\n]\n`, value: inside(30, [1]) },
    { given: 'that is a quoted text', text: 'a: \'x\ny\'\nb: "x\n\n  y"\n', value: { a: 'x y', b: 'x\ny' } },
  ])('$given is read', ({ text, value }) => {
    expect(paddedValue(text)).toEqual(value);
  });

  it('is read whatever blanks begin its lines', () => {
    const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null));
    const { value: anything } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.string({ minLength: 1 }), tie('value'), { maxKeys: 3 }),
      ),
    }));
    const blanks = fc.infiniteStream(fc.nat({ max: 5 }));
    const end = fc.constantFrom('\n', '\r\n');
    fc.assert(
      fc.property(fc.array(anything, { minLength: 1 }), blanks, end, (value, widths, eol) => {
        const lines = JSON.stringify(value, null, 1).split('\n').map(trimmed);
        const ragged = lines.map((line) => `${' '.repeat(widths.next().value ?? 0)}${line}`).join(eol);
        const text = `a:${eol}    b: ${ragged.trimStart()}${eol}c: 1${eol}`;
        expect(paddedValue(text)).toEqual({ a: { b: value }, c: 1 });
      }),
    );
  });
});

describe('many flow collections that are not deeper than their key', () => {
  const BLOCK = `b: |\n${'  }\n  ]\n'.repeat(50)}`;

  it.each([
    { given: 'alone', text: (count: number) => 'a: {\n}\n'.repeat(count) },
    { given: 'with lines at the key', text: (count: number) => '- spec: {\n  command: 010\n  }\n'.repeat(count) },
    { given: 'around block texts with brackets', text: (count: number) => `a: [\n]\n${BLOCK}`.repeat(count) },
    { given: 'in CRLF', text: (count: number) => '- [\r\n]\r\n'.repeat(count) },
    { given: 'of a thousand lines', text: (count: number) => `a: [\n${'1,\n'.repeat(count)}]\n` },
    { given: 'never closed', text: (count: number) => `a: 'b\n${'c: 1\n'.repeat(count)}` },
  ])('$given cost two readings, however many there are', ({ text }) => {
    let [readings, characters] = [0, 0];
    const read = (candidate: string) => {
      readings += 1;
      characters += candidate.length;
      return parsed(candidate);
    };
    outcome(() => readPadded(text(5_000), read));
    expect(readings).toBeLessThanOrEqual(2);
    expect(characters).toBeLessThan(4 * text(5_000).length);
  });

  it('are padded beside a block text that begins with a bracket', () => {
    expect(paddedValue('a: [\n]\nb: | # c\n  ]\n  x\nc: {\n}\n')).toEqual({ a: [], b: ']\nx\n', c: {} });
  });

  it('do not make the end of a block text part of it', () => {
    expect(() => readPadded('a: [\n]\nb: |\n  x\n]\n', parsed)).toThrow('deficient indentation');
  });
});

describe('what is not padded', () => {
  it.each([
    { given: 'lines of brackets in a block', text: 'a: |\n  [\n  ]\n   }\nb: >-\n  ]\n  x: [\n' },
    { given: 'a fault of another kind', text: 'a: 1\n b: 2\n' },
    { given: 'a plain scalar', text: 'a: x\n  ]\nb: 1\n' },
  ])('$given', ({ text }) => {
    const seen: string[] = [];
    const read = (candidate: string) => {
      seen.push(candidate);
      return parsed(candidate);
    };
    expect(outcome(() => load(readPadded(text, read).text))).toEqual(outcome(() => load(text)));
    expect(seen).toEqual([text]);
  });

  it('lines of brackets in a block beside a flow list that needs it', () => {
    const brackets = fc.array(fc.constantFrom('[', ']', '{', '}', '- [', 'a: {', '],', '"', '#', ''), { minLength: 1 });
    fc.assert(
      fc.property(brackets, (lines) => {
        const block = `x${lines.map((line) => `\n${line}`).join('')}\nx\n`;
        const text = `${dump({ b: block }, { lineWidth: -1 })}a: [\n1\n]\n${dump({ c: block }, { lineWidth: -1 })}`;
        expect(text).toContain('|\n');
        expect(paddedValue(text)).toEqual({ a: [1], b: block, c: block });
      }),
    );
  });

  it('a text that the library takes by itself', () => {
    const options = fc.record({ flowLevel: fc.constantFrom(-1, 0, 1, 2), lineWidth: fc.constantFrom(-1, 10, 80) });
    fc.assert(
      fc.property(fc.jsonValue(), options, (value, style) => {
        const text = dump(value, style);
        const padded = readPadded(text, parsed);
        expect(load(padded.text)).toEqual(load(text));
        expect(padded.text).toBe(text);
        expect(padded.original(text.length)).toBe(text.length);
      }),
    );
  });

  it('a line whose key stands before a tab, since the key would move', () => {
    const texts: string[] = [];
    const read = (candidate: string) => {
      texts.push(candidate);
      return parsed(candidate);
    };
    expect(() => readPadded('x:\na: \t[1]\n', read)).toThrow('deficient indentation');
    expect(texts).toEqual(['x:\na: \t[1]\n']);
  });
});

describe('when padding does not help', () => {
  it('the first fault stands, at its place in the text', () => {
    const fault = outcome(() => readPadded('a: [\nb: 1\nc: 2\n', parsed));
    expect(fault).toMatchObject({ reason: 'deficient indentation', mark: { line: 1, column: 0, position: 5 } });
  });

  it('it is given up where the text would grow by more than a datafile may have', () => {
    const text = (lines: number): string => `${' '.repeat(999)}a: [\n${'1,\n'.repeat(lines - 1)}]\n`;
    expect(paddedValue(text(1_048))).toEqual({ a: Array(1_047).fill(1) });
    expect(() => readPadded(text(1_050), parsed)).toThrow('deficient indentation');
  });

  it.each([{ thrown: new Error('deficient indentation') }, { thrown: 'text' }, { thrown: undefined }])(
    'what the reader throws passes: $thrown',
    ({ thrown }) => {
      const read = (): never => {
        throw thrown;
      };
      expect(outcome(() => readPadded('a: 1\n', read))).toBe(thrown);
    },
  );
});

describe('an offset of the padded text', () => {
  it('leads to the same character of the text', () => {
    const line = fc.record({ indent: fc.nat({ max: 3 }), item: fc.constantFrom('1', 'x', '[y]', '{z: 1}', '# c', '') });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const items = lines.map(
          ({ indent, item }) => `${' '.repeat(indent)}${item}${/^[#]|^$/.test(item) ? '' : ','}\n`,
        );
        const text = `a:\n  b: [\n${items.join('')}]\nc: [\n1\n]\nd: 1\n`;
        const padded = readPadded(text, parsed);
        const offsets = Array.from(padded.text, (_, offset) => offset).filter((at) => padded.text[at] !== ' ');
        expect(offsets.map((at) => text[padded.original(at)])).toEqual(offsets.map((at) => padded.text[at]));
        expect(padded.original(padded.text.length)).toBe(text.length);
      }),
    );
  });

  it('inside the padding leads to the start of its line', () => {
    const padded = readPadded('   a: [\n]\n', parsed);
    expect([8, 9, 10, 11, 12].map((offset) => padded.original(offset))).toEqual([8, 8, 8, 8, 8]);
    expect(padded.original(13)).toBe(9);
  });
});

const parsed = (text: string) => parseEvents(text, {});
const paddedValue = (text: string): unknown => load(readPadded(text, parsed).text);

function trimmed(line: string): string {
  return line.trimStart();
}

function outcome(act: () => unknown): unknown {
  try {
    return act();
  } catch (thrown) {
    return thrown;
  }
}

/** A key at each of so many levels, two blanks apart. */
function nested(levels: number): string {
  return Array.from(
    { length: levels },
    (_, level) => `${'  '.repeat(level)}k:${level === levels - 1 ? ' ' : '\n'}`,
  ).join('');
}

function inside(levels: number, value: unknown): unknown {
  return levels === 0 ? value : { k: inside(levels - 1, value) };
}
