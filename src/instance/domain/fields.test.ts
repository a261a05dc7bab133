import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  cron,
  disable,
  imageRef,
  labels,
  quantity,
  quantityValue,
  ref,
  resources,
  upgradePolicy,
  vaultSecret,
} from './fields.ts';

describe('the value of a quantity', () => {
  it.each([
    { text: '0', value: 0 },
    { text: '2', value: 2 },
    { text: '0.5', value: 0.5 },
    { text: '.5', value: 0.5 },
    { text: '5.', value: 5 },
    { text: '+5', value: 5 },
    { text: '-5', value: -5 },
    { text: '-1.5Gi', value: -1610612736 },
    { text: '100n', value: 1e-7 },
    { text: '100u', value: 1e-4 },
    { text: '1200m', value: 1.2 },
    { text: '1k', value: 1e3 },
    { text: '1M', value: 1e6 },
    { text: '1G', value: 1e9 },
    { text: '1T', value: 1e12 },
    { text: '1P', value: 1e15 },
    { text: '1E', value: 1e18 },
    { text: '1Ki', value: 1024 },
    { text: '500Mi', value: 524288000 },
    { text: '1.5Gi', value: 1610612736 },
    { text: '1Ti', value: 2 ** 40 },
    { text: '1Pi', value: 2 ** 50 },
    { text: '1Ei', value: 2 ** 60 },
    { text: '1e3', value: 1000 },
    { text: '1E3', value: 1000 },
    { text: '1e+3', value: 1000 },
    { text: '15e-1', value: 1.5 },
    { text: '007', value: 7 },
  ])('$text is $value', ({ text, value }) => {
    expect(quantityValue(text)).toBe(value);
  });

  it.each([
    '',
    ' ',
    '.',
    '+',
    'm',
    'Mi',
    '1K',
    '1ki',
    '1mi',
    '1KI',
    '1Zi',
    '1B',
    '500MB',
    '500Mib',
    '5 Mi',
    ' 5Mi',
    '5Mi ',
    '5Mi\n',
    '--5',
    '1e',
    '1e3Mi',
    '1m5',
    '1.2.3',
    '1,5',
    '1_000',
    '0x10',
    'NaN',
    'Infinity',
    '５',
    '1/2',
    'half',
  ])('%j is none', (text) => {
    expect(quantityValue(text)).toBeUndefined();
  });

  it('is the same however the decimal is written', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1_000_000 }), (milli) => {
        expect(quantityValue(`${milli}m`)).toBe(quantityValue(`${milli / 1000}`));
        expect(quantityValue(`${milli * 1000}u`)).toBe(quantityValue(`${milli}m`));
        expect(quantityValue(`${milli}k`)).toBe(quantityValue(`${milli}000`));
        expect(quantityValue(`${milli}e3`)).toBe(quantityValue(`${milli}000`));
      }),
    );
  });

  it('grows with its number and with its unit', () => {
    const units = ['n', 'u', 'm', '', 'k', 'Ki', 'M', 'Mi', 'G', 'Gi', 'T', 'Ti', 'P', 'Pi', 'E', 'Ei'];
    const values = units.map((unit) => quantityValue(`7${unit}`) ?? Number.NaN);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.constantFrom(...units), (a, b, unit) => {
        const [one, other] = [quantityValue(`${a}${unit}`) ?? Number.NaN, quantityValue(`${b}${unit}`) ?? Number.NaN];
        expect(Math.sign(one - other)).toBe(Math.sign(a - b));
      }),
    );
  });
});

interface Fault {
  readonly at: string;
  readonly message: string;
  readonly rule?: unknown;
  readonly hint?: unknown;
}

function faultsOf(shape: z.ZodType, value: unknown): Fault[] {
  const result = shape.safeParse(value);
  return (result.error?.issues ?? []).map((issue) => {
    const { rule, hint } = (issue.code === 'custom' ? issue.params : undefined) ?? {};
    return { at: issue.path.join('.'), message: issue.message, rule, hint };
  });
}

describe('labels', () => {
  it.each([
    { given: 'none', value: undefined, read: {} },
    { given: 'some', value: { a: 'b' }, read: { a: 'b' } },
  ])('with $given are $read', ({ value, read }) => {
    expect(labels.parse(value)).toEqual(read);
  });

  it.each([null, [], 'x', { a: 1 }, { a: null }, { a: { b: 'c' } }])('are not %j', (value) => {
    expect(labels.safeParse(value).success).toBe(false);
  });
});

describe('a reference to a secret', () => {
  it.each([
    { path: 'a/b', field: 'c' },
    { path: 'a/b', field: 'c', format: 'base64', version: 3 },
  ])('is %j', (value) => {
    expect(vaultSecret.parse(value)).toEqual(value);
  });

  it.each([
    { field: 'c' },
    { path: 'a' },
    { path: 'a', field: 'c', format: 'hex' },
    { path: 'a', field: 'c', version: 1.5 },
    { path: 'a', field: 'c', version: '1' },
    { path: 'a', field: 'c', version: null },
  ])('is not %j', (value) => {
    expect(vaultSecret.safeParse(value).success).toBe(false);
  });
});

describe('a reference to a file', () => {
  it('has a path, and what stands beside it is not kept', () => {
    expect(ref.parse({ $ref: '/a.yml', x: 1 })).toEqual({ $ref: '/a.yml' });
  });

  it.each([{}, { $ref: 1 }, '/a.yml', null])('is not %j', (value) => {
    expect(ref.safeParse(value).success).toBe(false);
  });
});

describe('disabled integrations', () => {
  it.each([{}, { disable: {} }, { disable: { integrations: ['a'] } }])('are those of %j', (value) => {
    expect(z.object({ disable }).parse(value)).toEqual(value);
  });

  it.each([null, { integrations: 'a' }, { integrations: [1] }])('are not %j', (value) => {
    expect(disable.safeParse(value).success).toBe(false);
  });
});

describe('a quantity', () => {
  it.each([
    { value: '500Mi', read: '500Mi' },
    { value: 2, read: '2' },
    { value: 0.5, read: '0.5' },
    { value: 0, read: '0' },
    { value: 1e21, read: '1e+21' },
    { value: 1e-7, read: '1e-7' },
  ])('$value is read as the text $read', ({ value, read }) => {
    expect(quantity.parse(value)).toBe(read);
  });

  it.each(['', '500MB', '5 Mi', 'lots', '-1', '-5Mi', -1])('is not %j', (value) => {
    expect(faultsOf(quantity, value)).toEqual([
      {
        at: '',
        message: `${JSON.stringify(String(value))} is not a valid Kubernetes quantity`,
        rule: 'bad-quantity',
        hint: 'use a number with a unit, such as 500Mi, 2Gi or 250m',
      },
    ]);
  });

  it.each([null, true, [], {}, Number.NaN, Number.POSITIVE_INFINITY])('is not %s', (value) => {
    expect(quantity.safeParse(value).success).toBe(false);
  });
});

describe('a schedule', () => {
  it('is a cron expression', () => {
    expect(cron.parse('0 8 * * 1-5')).toBe('0 8 * * 1-5');
  });

  it.each([
    { value: '@daily', says: 'it must have five fields: minute hour day month weekday' },
    { value: '0 0 31 2 *', says: 'it never matches a date' },
    { value: '0 25 * * *', says: 'invalid hour 25: use 0 to 23' },
  ])('is not $value', ({ value, says }) => {
    expect(faultsOf(cron, value)).toEqual([
      {
        at: '',
        message: `"${value}" is not a valid cron expression: ${says}`,
        rule: 'bad-cron',
        hint: 'use minute hour day month weekday in UTC, such as 0 8 * * 1-5',
      },
    ]);
  });
});

describe('an image tag', () => {
  const digest = `@sha256:${'0123456789abcdef'.repeat(4)}`;

  it.each(['f929a38', 'latest', 'v1.2.3-rc.1', '_x', 'A', 'x'.repeat(128), `v1${digest}`])('is %s', (value) => {
    expect(imageRef.parse(value)).toBe(value);
  });

  it.each([
    '',
    '.x',
    '-x',
    'x'.repeat(129),
    'quay.io/org/image:tag',
    'image:tag',
    'a b',
    'a\n',
    'ä',
    digest,
    'v1@sha256:short',
    `v1${digest.toUpperCase()}`,
    `v1${digest}0`,
    `v1@sha512:${'0'.repeat(64)}`,
  ])('is not %j', (value) => {
    expect(faultsOf(imageRef, value)).toEqual([
      {
        at: '',
        message: `${JSON.stringify(value)} is not a valid image tag`,
        rule: 'bad-image-ref',
        hint: 'use a tag such as f929a38, without the repository',
      },
    ]);
  });

  it.each([1234567, null, true])('is not %j, which is no text', (value) => {
    expect(imageRef.safeParse(value).success).toBe(false);
  });
});

describe('resources', () => {
  it.each([
    { given: 'nothing', value: {} },
    { given: 'only requests', value: { requests: { cpu: '1' } } },
    { given: 'only limits', value: { limits: { memory: '1Gi' } } },
    {
      given: 'requests below limits',
      value: { requests: { cpu: '100m', memory: '1Gi' }, limits: { cpu: '1', memory: '2Gi' } },
    },
    { given: 'equal amounts', value: { requests: { cpu: '1100m' }, limits: { cpu: '1.1' } } },
    { given: 'equal amounts the other way', value: { requests: { cpu: '0.009' }, limits: { cpu: '9m' } } },
    { given: 'equal amounts of two kinds', value: { requests: { memory: '1024Ki' }, limits: { memory: '1Mi' } } },
    { given: 'amounts that cannot be compared', value: { requests: { cpu: '2' }, limits: { memory: '1' } } },
  ])('may have $given', ({ value }) => {
    expect(resources.parse(value)).toEqual(value);
  });

  it('are read from bare numbers as text', () => {
    expect(resources.parse({ requests: { cpu: 1 }, limits: { cpu: 2.5 } })).toEqual({
      requests: { cpu: '1' },
      limits: { cpu: '2.5' },
    });
  });

  it.each([
    { name: 'cpu', request: '1100m', limit: '1' },
    { name: 'cpu', request: '1', limit: '0' },
    { name: 'memory', request: '1Gi', limit: '1G' },
    { name: 'memory', request: '2Gi', limit: '2047Mi' },
  ])('with a $name request of $request above the limit $limit are refused', ({ name, request, limit }) => {
    expect(faultsOf(resources, { requests: { [name]: request }, limits: { [name]: limit } })).toEqual([
      {
        at: `requests.${name}`,
        message: `the ${name} request ${request} is above the limit ${limit}`,
        rule: 'request-above-limit',
        hint: 'raise the limit: Kubernetes rejects such a pod',
      },
    ]);
  });

  it('tell of both amounts', () => {
    const value = { requests: { cpu: '2', memory: '2' }, limits: { cpu: '1', memory: '1' } };
    expect(faultsOf(resources, value).map(({ at }) => at)).toEqual(['requests.cpu', 'requests.memory']);
  });

  it('tell of a bad quantity where it is, and compare the others', () => {
    const value = { requests: { cpu: 'much', memory: '2Gi' }, limits: { cpu: '1', memory: '1Gi' } };
    expect(faultsOf(resources, value).map(({ at, rule }) => `${at} ${rule}`)).toEqual([
      'requests.cpu bad-quantity',
      'requests.memory request-above-limit',
    ]);
  });

  it.each([null, { requests: null }, { limits: { cpu: null } }, []])('are not %j', (value) => {
    expect(resources.safeParse(value).success).toBe(false);
  });
});

describe('an upgrade policy', () => {
  const POLICY = { schedule: '0 8 * * *', workloads: ['a'], conditions: { soakDays: 0 } };

  it.each([
    { given: 'what it must have', value: POLICY },
    {
      given: 'everything',
      value: {
        ...POLICY,
        versionGateApprovals: ['api.openshift.com/gate-ocp'],
        conditions: { soakDays: 7, mutexes: ['m'], sector: 's', blockedVersions: ['^4\\.1$'] },
      },
    },
  ])('has $given', ({ value }) => {
    expect(upgradePolicy.parse(value)).toEqual(value);
  });

  it.each([
    { given: 'no schedule', value: { ...POLICY, schedule: undefined }, at: 'schedule' },
    { given: 'a bad schedule', value: { ...POLICY, schedule: 'daily' }, at: 'schedule' },
    { given: 'no workloads', value: { ...POLICY, workloads: undefined }, at: 'workloads' },
    { given: 'half a day', value: { ...POLICY, conditions: { soakDays: 0.5 } }, at: 'conditions.soakDays' },
    { given: 'days as text', value: { ...POLICY, conditions: { soakDays: '7' } }, at: 'conditions.soakDays' },
    { given: 'no conditions', value: { ...POLICY, conditions: null }, at: 'conditions' },
    {
      given: 'a null sector',
      value: { ...POLICY, conditions: { soakDays: 1, sector: null } },
      at: 'conditions.sector',
    },
  ])('with $given is refused at $at', ({ value, at }) => {
    expect(faultsOf(upgradePolicy, value).map((fault) => fault.at)).toEqual([at]);
  });
});
