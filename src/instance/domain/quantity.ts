const QUANTITY = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+)?$/;

/** As exponents, so that 1100m and 1.1 are read from the same decimal and compare as equal. */
const EXPONENTS: Readonly<Record<string, string>> = {
  n: 'e-9',
  u: 'e-6',
  m: 'e-3',
  k: 'e3',
  M: 'e6',
  G: 'e9',
  T: 'e12',
  P: 'e15',
  E: 'e18',
};

const FACTORS: Readonly<Record<string, number>> = {
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

export const LONGEST_QUANTITY = 64;

/** A quantity that is not negative, as a regular expression. */
export const QUANTITY_PATTERN =
  '^(?:\\+?(?:\\d+(?:\\.\\d*)?|\\.\\d+)|-(?:0+(?:\\.0*)?|\\.0+))(?:Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\\d+)?$';

/** The value of a Kubernetes resource quantity (`500Mi`, `1200m`, `2`, `1e3`); undefined when invalid. */
export function quantityValue(text: string): number | undefined {
  if (text.length > LONGEST_QUANTITY) return undefined;
  const match = QUANTITY.exec(text);
  if (match === null) return undefined;
  const [, digits = '', suffix = ''] = match;
  const sign = text.startsWith('-') ? -1 : 1;
  const factor = FACTORS[suffix];
  const value = factor === undefined ? Number(`${digits}${EXPONENTS[suffix] ?? suffix}`) : Number(digits) * factor;
  return sign * value;
}
