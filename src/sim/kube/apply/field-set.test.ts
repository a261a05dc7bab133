import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../../test/support/property.ts';
import { struct } from '../schema.ts';
import {
  difference,
  FieldSet,
  fromFieldsV1,
  intersection,
  toFieldsV1,
  union,
  withNamedFields,
  without,
} from './field-set.ts';
import { pathText } from './path-element.ts';

const ELEMENTS = ['f:a', 'f:b', 'k:{"name":"c"}', 'v:"x"'];
const paths = fc.array(fc.array(fc.constantFrom(...ELEMENTS), { minLength: 1, maxLength: 3 }), { maxLength: 8 });

function setOf(list: readonly (readonly string[])[]): FieldSet {
  const set = new FieldSet();
  for (const path of list) set.insert(path);
  return set;
}

function texts(set: FieldSet): string[] {
  return set
    .paths()
    .map((path) => path.join('/'))
    .sort();
}

describe('sets of fields behave as sets of paths', () => {
  const operations = [
    { name: 'union', of: union, keep: (inA: boolean, inB: boolean) => inA || inB },
    { name: 'intersection', of: intersection, keep: (inA: boolean, inB: boolean) => inA && inB },
    { name: 'difference', of: difference, keep: (inA: boolean, inB: boolean) => inA && !inB },
  ];
  it.each(operations)('$name', ({ of, keep }) => {
    holds(
      fc.property(paths, paths, (a, b) => {
        const left = new Set(texts(setOf(a)));
        const right = new Set(texts(setOf(b)));
        const expected = [...new Set([...left, ...right])].filter((path) => keep(left.has(path), right.has(path)));
        expect(texts(of(setOf(a), setOf(b)))).toEqual(expected.sort());
      }),
    );
  });

  it('without takes what is below along', () => {
    holds(
      fc.property(paths, paths, (a, b) => {
        const cut = texts(setOf(b));
        const expected = texts(setOf(a)).filter(
          (path) => !cut.some((each) => path === each || path.startsWith(`${each}/`)),
        );
        expect(texts(without(setOf(a), setOf(b)))).toEqual(expected);
      }),
    );
  });

  it('what is written as fieldsV1 is read back', () => {
    holds(
      fc.property(paths, (list) => {
        const copy: unknown = JSON.parse(JSON.stringify(toFieldsV1(setOf(list))));
        expect(texts(fromFieldsV1(copy) ?? new FieldSet())).toEqual(texts(setOf(list)));
      }),
    );
  });
});

describe('fieldsV1', () => {
  it('tells a field that is owned along with some below it by a dot, in the order of paths', () => {
    const set = setOf([
      ['f:spec', 'f:ports', 'k:{"port":90}'],
      ['f:spec', 'f:ports', 'k:{"port":80}', 'f:port'],
      ['f:spec', 'f:ports', 'k:{"port":80}'],
      ['f:data'],
    ]);
    expect(JSON.stringify(toFieldsV1(set))).toBe(
      '{"f:data":{},"f:spec":{"f:ports":{"k:{\\"port\\":80}":{".":{},"f:port":{}},"k:{\\"port\\":90}":{}}}}',
    );
  });

  it.each([
    { given: 'a key that is no path', value: { spec: {} } },
    { given: 'a value that is no mapping', value: { 'f:spec': 1 } },
    { given: 'a key whose keys are no JSON', value: { 'f:a': { 'k:{': {} } } },
    { given: 'a list', value: [] },
  ])('is not $given', ({ value }) => {
    expect(fromFieldsV1(value)).toBeUndefined();
  });

  it('reads keys in whatever order somebody wrote them', () => {
    const set = fromFieldsV1({ 'f:ports': { 'k:{"protocol":"TCP","containerPort":80}': {} } });
    expect(texts(set ?? new FieldSet())).toEqual(['f:ports/k:{"containerPort":80,"protocol":"TCP"}']);
  });
});

describe('the fields of structs on the way', () => {
  it('are added, keys of maps and items of lists are not', () => {
    const set = setOf([
      ['f:metadata', 'f:labels', 'f:a'],
      ['f:spec', 'f:template', 'f:spec', 'f:containers', 'k:{"name":"c"}', 'f:image'],
    ]);
    expect(withNamedFields(set, struct('apps.v1.Deployment')).paths().map(pathText)).toEqual([
      '.metadata',
      '.spec',
      '.metadata.labels',
      '.metadata.labels.a',
      '.spec.template',
      '.spec.template.spec',
      '.spec.template.spec.containers',
      '.spec.template.spec.containers[name="c"].image',
    ]);
  });
});
