const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;
/** From the smallest; a decimal quantity is a whole number of one of them. */
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
const NANO = 10n ** 9n;
const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(?:(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E)|[eE]([+-]?\d{1,2}))?$/;

/** Already canonical: `250m`, `1`, `512Mi`. */
const SIMPLE = /^[1-9](?:\d?[1-9])?(?:m|Ki|Mi|Gi)?$/;

/** A quantity in the form that a server gives it back: `0.5` is `500m`, `1024Mi` is `1Gi`; undefined when it is none. */
export function canonicalQuantity(given: string | number): string | undefined {
  if (typeof given === 'string' && SIMPLE.test(given)) return given;
  const match = FORM.exec(String(given));
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = '', exponent] = match;
  if (whole === '' && fraction === '') return undefined;
  const nanos = nanosOf(`${whole}.${fraction}`, suffix, Number(exponent ?? 0));
  if (nanos === 0n) return '0';
  const isBinary = BINARY.includes(suffix as never) && suffix !== '' && nanos % NANO === 0n && nanos / NANO >= 1024n;
  const text = isBinary ? binary(nanos / NANO) : decimal(nanos, exponent !== undefined);
  return sign === '-' ? `-${text}` : text;
}

/** In billionths, rounded up. */
function nanosOf(number: string, suffix: string, exponent: number): bigint {
  const [whole = '', fraction = ''] = number.split('.');
  const binaryPower = BINARY.indexOf(suffix as never);
  const power = suffix !== '' && binaryPower < 0 ? (DECIMAL.indexOf(suffix as never) - 3) * 3 : exponent;
  const digits = BigInt(`${whole}${fraction}` || '0') * (binaryPower > 0 ? 1024n ** BigInt(binaryPower) : 1n);
  const scale = power + 9 - fraction.length;
  if (scale >= 0) return digits * 10n ** BigInt(scale);
  const divisor = 10n ** BigInt(-scale);
  return (digits + divisor - 1n) / divisor;
}

function binary(value: bigint): string {
  let rest = value;
  let unit = 0;
  while (rest % 1024n === 0n && unit < BINARY.length - 1) {
    rest /= 1024n;
    unit += 1;
  }
  return `${rest}${BINARY[unit]}`;
}

function decimal(nanos: bigint, isExponent: boolean): string {
  let rest = nanos;
  let unit = 0;
  while (rest % 1000n === 0n && unit < DECIMAL.length - 1) {
    rest /= 1000n;
    unit += 1;
  }
  const power = (unit - 3) * 3;
  if (isExponent) return power === 0 ? String(rest) : `${rest}e${power}`;
  return `${rest}${DECIMAL[unit]}`;
}
