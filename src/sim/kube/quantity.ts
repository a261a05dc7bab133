import { quantityValue } from '../../instance/index.ts';

const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** From the smallest; a decimal quantity is a whole number of one of them. */
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const ONES = DECIMAL.indexOf('');
/** Digits of a double that say what was written, and not how it was rounded. */
const PRECISION = 15;

/** A quantity in the form that a server gives it back: `0.5` is `500m`, `1024Mi` is `1Gi`; undefined when it is none. */
export function canonicalQuantity(given: string | number): string | undefined {
  const text = String(given);
  const value = quantityValue(text);
  if (value === undefined) return undefined;
  if (value === 0) return '0';
  const size = Math.abs(value);
  const isBinary = text.endsWith('i') && Number.isInteger(size) && size >= 1024;
  const canonical = isBinary ? binary(size) : decimal(size, /[eE][+-]?\d/.test(text));
  return value < 0 ? `-${canonical}` : canonical;
}

function binary(size: number): string {
  const { rest, unit } = largestUnit(size, 0, 1024, BINARY.length);
  return `${rest}${BINARY[unit]}`;
}

function decimal(size: number, isExponent: boolean): string {
  let start = ONES;
  let whole = size;
  while (start > 0 && !Number.isInteger(whole)) {
    start -= 1;
    whole = Number((size * 1000 ** (ONES - start)).toPrecision(PRECISION));
  }
  const { rest, unit } = largestUnit(Math.ceil(whole), start, 1000, DECIMAL.length);
  const power = (unit - ONES) * 3;
  return `${rest}${isExponent && power !== 0 ? `e${power}` : DECIMAL[unit]}`;
}

/** The largest unit that a number is a whole multiple of. */
function largestUnit(size: number, start: number, step: number, units: number): { rest: number; unit: number } {
  let [rest, unit] = [size, start];
  while (rest % step === 0 && unit < units - 1) {
    rest /= step;
    unit += 1;
  }
  return { rest, unit };
}
