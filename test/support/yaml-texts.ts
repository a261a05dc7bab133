import * as fc from 'fast-check';
import type { KeyPath } from '../../src/instance/index.ts';

/** A part of a generated text: either fixed, or a scalar that may be edited. */
export type Part = string | { readonly path: KeyPath; readonly written: string };

export interface YamlTextParts {
  readonly parts: readonly Part[];
  /** Paths of nodes that must be refused. */
  readonly traps: readonly KeyPath[];
}

/** A number from 0 to one less than `below`. */
type Dice = (below: number) => number;

function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const KEYS = ['ref', 'a b', 'ключ', '😀', 'k-1', '"q: "', "'it''s'", '"\\u00e9 # x"', 'deep', 'x/y', 'ref2', 'z'];
const WORDS = [
  'abc',
  'd90b2ac',
  '🦊 fox',
  'é',
  'a b  c',
  'x#y',
  'http://h/p',
  '-1',
  '12',
  'yes',
  '~',
  "it's",
  'e\u0301',
];
const COMMENTS = ['# plain', '#', '# 🐙: {not: flow}', '# it\'s "quoted"', '# - ref: abc', '#\ttab'];

class Maker {
  readonly parts: Part[] = [];
  readonly traps: KeyPath[] = [];
  readonly #dice: Dice;
  readonly #eol: string;
  #anchors = 0;

  constructor(dice: Dice) {
    this.#dice = dice;
    this.#eol = this.#pick(['\n', '\n', '\r\n']);
  }

  make(): YamlTextParts {
    if (this.#chance(5)) this.parts.push('\ufeff');
    if (this.#chance(4)) this.#lines('# before');
    if (this.#chance(2)) this.#lines('---');
    this.#blockMapping([], 0, 3);
    if (this.#chance(4)) this.#lines('...');
    if (this.#chance(3)) this.#dropLastLineEnd();
    return this;
  }

  #chance(oneIn: number): boolean {
    return this.#dice(oneIn) === 0;
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#dice(from.length)] as T;
  }

  #lines(text: string): void {
    this.parts.push(text, this.#eol);
  }

  #dropLastLineEnd(): void {
    if (this.parts.at(-1) === this.#eol) this.parts.pop();
  }

  #trivia(indent: number): void {
    if (this.#chance(5)) this.parts.push(this.#eol);
    if (this.#chance(5)) this.parts.push(' '.repeat(indent + this.#dice(4)), this.#pick(COMMENTS), this.#eol);
  }

  #lineEnd(): void {
    if (this.#chance(4)) this.parts.push('  ', this.#pick(COMMENTS));
    else if (this.#chance(6)) this.parts.push('  ');
    this.parts.push(this.#eol);
  }

  #blockMapping(path: KeyPath, indent: number, depth: number, firstInline = false): void {
    const drawn = KEYS.filter(() => this.#chance(4)).slice(0, 4);
    const keys = drawn.length === 0 ? ['ref'] : drawn;
    for (const [index, key] of keys.entries()) {
      const inline = firstInline && index === 0;
      if (!inline) {
        this.#trivia(indent);
        this.parts.push(' '.repeat(indent));
      }
      this.parts.push(key, this.#pick([':', ':', ' :', '  :']));
      this.#blockValue([...path, nameOf(key)], indent, depth);
    }
  }

  #blockSequence(path: KeyPath, indent: number, depth: number): void {
    const length = 1 + this.#dice(3);
    for (let index = 0; index < length; index += 1) {
      this.#trivia(indent);
      const gap = 1 + this.#dice(3);
      this.parts.push(' '.repeat(indent), '-');
      if (depth > 0 && this.#chance(2)) {
        this.parts.push(' '.repeat(gap));
        this.#blockMapping([...path, index], indent + 1 + gap, depth - 1, true);
      } else this.#blockValue([...path, index], indent, 0);
    }
  }

  #blockValue(path: KeyPath, indent: number, depth: number): void {
    const deeper = indent + (1 + this.#dice(5));
    const shape = this.#dice(10);
    if (depth > 0 && shape < 2) {
      this.#lineEnd();
      this.#blockMapping(path, deeper, depth - 1);
    } else if (depth > 0 && shape < 4) {
      this.#lineEnd();
      this.#blockSequence(path, this.#chance(2) ? indent : deeper, depth - 1);
    } else if (shape === 4) this.#trap(path, indent);
    else this.#inlineValue(path, deeper, shape === 5 ? depth + 1 : undefined);
  }

  /** A scalar, or with a depth a flow collection, on the line of its key or the next. */
  #inlineValue(path: KeyPath, deeper: number, flowDepth: number | undefined): void {
    this.parts.push(
      this.#chance(6)
        ? `${this.#eol}${' '.repeat(deeper)}`
        : this.#pick([' ', ' ', '   ', flowDepth === undefined ? '\t ' : '  ']),
    );
    if (flowDepth === undefined) this.#scalar(path, false);
    else this.#flow(path, flowDepth, deeper);
    this.#lineEnd();
  }

  /** What must not be edited; each is complete in itself, so that nothing else depends on it. */
  #trap(path: KeyPath, indent: number): void {
    const inner = ' '.repeat(indent + 2);
    this.#anchors += 1;
    const name = `t${this.#anchors}`;
    const [text, trap] = this.#pick<[string, KeyPath]>([
      [` |${this.#eol}${inner}some text${this.#eol}`, []],
      [` >-${this.#eol}${inner}some text${this.#eol}`, []],
      [` !!str 12${this.#eol}`, []],
      [` [&${name} abc, *${name}]${this.#eol}`, [0]],
      [` [&${name} abc, *${name}]${this.#eol}`, [1]],
      [` {b: &${name} {k: v}, m: {<<: *${name}}}${this.#eol}`, ['m', 'k']],
      [` {b: &${name} {k: v}, m: {<<: *${name}}}${this.#eol}`, ['b', 'k']],
      [` {}${this.#eol}`, []],
      [this.#eol, []],
    ]);
    this.parts.push(text);
    this.traps.push([...path, ...trap]);
  }

  #flow(path: KeyPath, depth: number, indent: number): void {
    const isList = this.#chance(2);
    const length = 1 + this.#dice(3);
    this.parts.push(isList ? '[' : '{', this.#blank(indent));
    for (const [index, key] of KEYS.slice(0, length).entries()) {
      if (index > 0) this.parts.push(',', this.#blank(indent) || ' ');
      if (!isList) this.parts.push(key, ': ');
      this.#flowValue([...path, isList ? index : nameOf(key)], depth, indent);
    }
    this.parts.push(this.#blank(indent), this.#chance(5) ? ',' : '', isList ? ']' : '}');
  }

  #flowValue(path: KeyPath, depth: number, indent: number): void {
    if (depth > 0 && this.#chance(4)) this.#flow(path, depth - 1, indent);
    else this.#scalar(path, true);
  }

  #blank(indent: number): string {
    return this.#pick([
      '',
      '',
      ' ',
      '  ',
      `${this.#eol}${' '.repeat(indent)}`,
      ` # c${this.#eol}${' '.repeat(indent)}`,
    ]);
  }

  #scalar(path: KeyPath, inFlow: boolean): void {
    this.#anchors += 1;
    if (this.#chance(8)) this.parts.push(`&unused${this.#anchors} `);
    const word = this.#pick(WORDS);
    const written = this.#pick([
      inFlow && word.includes(':') ? `'${word}'` : word,
      `'${word.replaceAll("'", "''")}'`,
      JSON.stringify(word),
      '"\\x41\\u00e9"',
    ]);
    this.parts.push({ path, written });
  }
}

/** The key that a written key is. */
function nameOf(key: string): string {
  if (key.startsWith('"')) return JSON.parse(key) as string;
  return key.startsWith("'") ? key.slice(1, -1).replaceAll("''", "'") : key;
}

/** Any YAML text with one mapping at its root: comments, anchors, flow style, markers, odd indentation and line ends. */
export const yamlTexts: fc.Arbitrary<YamlTextParts> = fc
  .noBias(fc.integer())
  .map((seed) => new Maker(diceOf(seed)).make());
