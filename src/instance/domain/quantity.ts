const QUANTITY = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+)?$/;

const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** The value of a Kubernetes resource quantity (`500Mi`, `1200m`, `2`, `1e3`); undefined when it is none. */
export function quantityValue(text: string): number | undefined {
  const match = QUANTITY.exec(text);
  if (match === null) return undefined;
  const [, digits = '', suffix = ''] = match;
  const sign = text.startsWith('-') ? -1 : 1;
  const factor = suffix === '' ? 1 : (FACTORS[suffix] ?? Number(`1${suffix}`));
  return sign * Number(digits) * factor;
}
