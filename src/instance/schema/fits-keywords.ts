import { isJson } from '../../base/index.ts';
import { refPath } from '../snapshot.ts';
import { type Fits, type Noted, unsurely } from './noted.ts';
import { tolerantPattern } from './pattern.ts';

/** What a keyword is built with. */
export interface Build {
  /** A schema of a part of the value. */
  readonly read: (schema: unknown) => Fits;
  /** A schema of the same value. */
  readonly same: (schema: unknown) => Fits;
  /** The same, elsewhere. */
  readonly referred: (ref: string) => Fits;
  /** Says that the whole schema cannot be read. */
  readonly unsupported: () => Fits;
}

type Keyword = (value: unknown, build: Build, schema: Readonly<Record<string, unknown>>) => Fits | undefined;

/** What the validator applies and this does not; whatever is in neither list means nothing to both. */
export const UNSUPPORTED: ReadonlySet<string> = new Set([
  ...['$id', 'id', '$async', '$anchor', '$dynamicAnchor', 'nullable', 'discriminator', 'if', 'then', 'else'],
  ...['multipleOf', 'uniqueItems', 'propertyNames', 'additionalItems', 'minProperties', 'maxProperties'],
]);

/** Each as the validator applies it: a keyword about lists says nothing of a text. */
export const KEYWORDS: Readonly<Record<string, Keyword>> = {
  type: (types, { unsupported }) => {
    const tests = [types].flat().map((type) => TYPES.get(type));
    const [first, ...more] = tests;
    if (first === undefined || tests.includes(undefined)) return unsupported();
    return more.length === 0 ? first : (value) => tests.some((test) => test?.(value));
  },
  enum: (values, { unsupported }) => {
    if (!Array.isArray(values) || values.length === 0 || !values.every(isPlain)) return unsupported();
    return values.length === 1 ? (value) => value === values[0] : (value) => values.includes(value);
  },
  const: (wanted, { unsupported }) => (isPlain(wanted) ? (value) => value === wanted : unsupported()),
  minimum: numeric((value, limit) => value >= limit),
  maximum: numeric((value, limit) => value <= limit),
  exclusiveMinimum: numeric((value, limit) => value > limit),
  exclusiveMaximum: numeric((value, limit) => value < limit),
  minLength: limited('string', (value, limit) => characters(value as string) >= limit),
  maxLength: limited('string', (value, limit) => characters(value as string) <= limit),
  minItems: limited('array', (value, limit) => (value as unknown[]).length >= limit),
  maxItems: limited('array', (value, limit) => (value as unknown[]).length <= limit),
  pattern: (pattern, { unsupported }) => {
    if (typeof pattern !== 'string') return unsupported();
    const known = tolerantPattern(pattern);
    return (value) => typeof value !== 'string' || known.test(value);
  },
  // Not enforced, but for its type.
  format: (name, { unsupported }) => (typeof name === 'string' ? undefined : unsupported()),
  required,
  properties: (schemas, build) => {
    const fields = fieldsOf(schemas, build);
    return (value, noted) => {
      if (!isJson(value)) return true;
      let fits = true;
      for (const key in value) {
        const field = fields.get(key);
        if (field !== undefined && value[key] !== undefined) fits = below(field, value[key], key, noted) && fits;
      }
      return fits;
    };
  },
  patternProperties: (schemas, build) => {
    const fields = [...fieldsOf(schemas, build)].map(([name, fits]) => ({ pattern: tolerantPattern(name), fits }));
    return (value, noted) => {
      if (!isJson(value)) return true;
      let fits = true;
      for (const key in value)
        for (const field of fields)
          if (field.pattern.test(key)) fits = below(field.fits, value[key], key, noted) && fits;
      return fits;
    };
  },
  additionalProperties: (schema, build, { properties = {}, patternProperties = {} }) => {
    if (schema === true) return undefined;
    const fits = build.read(schema);
    if (!isJson(properties) || !isJson(patternProperties)) return build.unsupported();
    const names = new Set(Object.keys(properties));
    const patterns = Object.keys(patternProperties).map(tolerantPattern);
    return (value, noted) => {
      if (!isJson(value)) return true;
      let all = true;
      for (const key in value)
        if (!names.has(key) && !patterns.some((pattern) => pattern.test(key)))
          all = below(fits, value[key], key, noted) && all;
      return all;
    };
  },
  dependencies: (wanted, build) => {
    const needs = [...fieldsOf(wanted, { ...build, read: (needed) => neededWith(needed, build) })];
    return (value, noted) => {
      if (!isJson(value)) return true;
      let all = true;
      for (const [name, fits] of needs) if (value[name] !== undefined) all = fits(value, noted) && all;
      return all;
    };
  },
  items: (schema, { read, unsupported }) => {
    if (!isJson(schema)) return schema === true ? undefined : unsupported();
    const fits = read(schema);
    return (value, noted) => !Array.isArray(value) || fitting(value, fits, noted) === value.length;
  },
  contains: (schema, { read }) => {
    const fits = read(schema);
    return (value, noted) => !Array.isArray(value) || unsurely(noted, () => fitting(value, fits, noted)) > 0;
  },
  not: (schema, { same }) => {
    const fits = same(schema);
    return (value, noted) => !unsurely(noted, () => fits(value, noted));
  },
  allOf: choice((matches, branches) => matches === branches),
  anyOf: choice((matches) => matches > 0, 0),
  oneOf: choice((matches) => matches === 1, 2),
  $ref: (ref, { referred, unsupported }) => (typeof ref === 'string' ? referred(ref) : unsupported()),
  $schemaRef: (demand, { unsupported }) => {
    if (typeof demand !== 'string' && !isJson(demand)) return unsupported();
    return (value, { references, keys, unsure }) => {
      const target = refPath(value);
      const sureness = unsure > 0 ? { isUnsure: true as const } : {};
      if (target !== undefined) references.push({ keys: keys.slice(), target, demand, ...sureness });
      return true;
    };
  },
  resourceRef:
    () =>
    (value, { resources }) => {
      if (typeof value === 'string' && value.startsWith('/')) resources.push(value);
      return true;
    },
};

const isNumber = (value: unknown): value is number => typeof value === 'number';
/** Infinity is one for the validator. */
const isInteger = (value: unknown): boolean => isNumber(value) && !Number.isNaN(value) && !(value % 1);

const TYPES: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map<unknown, (value: unknown) => boolean>([
  ['string', (value) => typeof value === 'string'],
  ['number', isNumber],
  ['integer', isInteger],
  ['boolean', (value) => typeof value === 'boolean'],
  ['array', Array.isArray],
  ['object', isJson],
  ['null', (value) => value === null],
]);

function below(fits: Fits, value: unknown, key: string | number, noted: Noted): boolean {
  noted.keys.push(key);
  const found = fits(value, noted);
  noted.keys.pop();
  return found;
}

/** How many items fit. */
function fitting(items: readonly unknown[], fits: Fits, noted: Noted): number {
  let count = 0;
  for (let index = 0; index < items.length; index += 1) if (below(fits, items[index], index, noted)) count += 1;
  return count;
}

/** Compared as they are; lists and mappings would have to be compared part by part, and NaN equals nothing. */
function isPlain(value: unknown): boolean {
  return (value === null || typeof value !== 'object') && !Number.isNaN(value);
}

/**
 * Every mapping inherits others, `constructor` say, which the validator finds in it; and below `not` it takes an empty name that is missing
 * for one that is there.
 */
function isOwnName(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && !(name in Object.prototype);
}

function required(names: unknown, { unsupported }: Build): Fits {
  if (!Array.isArray(names) || !names.every(isOwnName)) return unsupported();
  return (value) => !isJson(value) || names.every((name) => value[name] !== undefined);
}

/** Names of other fields, or a schema of the mapping. */
function neededWith(needed: unknown, build: Build): Fits {
  return Array.isArray(needed) ? required(needed, build) : build.same(needed);
}

function fieldsOf(schemas: unknown, { read, unsupported }: Build): ReadonlyMap<string, Fits> {
  if (isJson(schemas) && Object.keys(schemas).every(isOwnName))
    return new Map(Object.entries(schemas).map(([name, schema]) => [name, read(schema)]));
  unsupported();
  return new Map();
}

function numeric(holds: (value: number, limit: number) => boolean): Keyword {
  return (limit, { unsupported }) =>
    Number.isFinite(limit) ? (value) => !isNumber(value) || holds(value, limit as number) : unsupported();
}

function limited(type: 'string' | 'array', holds: (value: unknown, limit: number) => boolean): Keyword {
  const applies = type === 'string' ? (value: unknown) => typeof value === 'string' : Array.isArray;
  return (limit, { unsupported }) =>
    Number.isFinite(limit) ? (value) => !applies(value) || holds(value, limit as number) : unsupported();
}

/** As a reader counts them: a character outside the first 65,536 is one. */
function characters(text: string): number {
  return [...text].length;
}

/** @param enough matches after which the validator may leave out the other branches. */
function choice(decides: (matches: number, branches: number) => boolean, enough = Number.POSITIVE_INFINITY): Keyword {
  return (schemas, { same, unsupported }) => {
    if (!Array.isArray(schemas) || schemas.length === 0) return unsupported();
    const branches = schemas.map(same);
    return (value, noted) => {
      let matches = 0;
      for (const branch of branches) {
        const fits = matches < enough ? branch(value, noted) : unsurely(noted, () => branch(value, noted));
        if (fits) matches += 1;
      }
      return decides(matches, branches.length);
    };
  };
}
