import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { defined, EchelonError } from '../../base/index.ts';
import { processTemplate, type Template, type TemplateParameter } from './template.ts';

type Given = Readonly<Record<string, string>>;

/** Processes one object that has `data` in it; returns what became of `data`. */
function data(value: unknown, parameters: readonly TemplateParameter[], given: Given = {}): unknown {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: value };
  const template: Template = { kind: 'Template', objects: [object], parameters };
  return processTemplate(template, new Map(Object.entries(given)))[0]?.['data'];
}

function faultOf(run: () => unknown): EchelonError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof EchelonError) return thrown;
    throw thrown;
  }
  return expect.unreachable('it was accepted');
}

const A = { name: 'A', value: 'a' };
const B = { name: 'B', value: 'b' };

describe('a reference', () => {
  it.each([
    { text: '${A}', result: 'a' },
    { text: '${A}:${B}@${A}', result: 'a:b@a' },
    { text: 'x ${A} y', result: 'x a y' },
    { text: '$${A}', result: '$a' },
    { text: '${A}}', result: 'a}' },
    { text: '${UNKNOWN}', result: '${UNKNOWN}' },
    { text: '${A}/${SLACK_WEBHOOK_URL}', result: 'a/${SLACK_WEBHOOK_URL}' },
    { text: '${{UNKNOWN}}', result: '${{UNKNOWN}}' },
    { text: '$A', result: '$A' },
    { text: '$(A)', result: '$(A)' },
    { text: '${ A }', result: '${ A }' },
    { text: '${A-default}', result: '${A-default}' },
    { text: '${a}', result: '${a}' },
    { text: '${}', result: '${}' },
    { text: 'x ${{A}}', result: 'x ${{A}}' },
    { text: '${{A}} ', result: '${{A}} ' },
    { text: '--arg "${HOME}" ${A}', result: '--arg "${HOME}" a' },
  ])('"$text" becomes "$result"', ({ text, result }) => {
    expect(data(text, [A, B])).toBe(result);
  });

  it('is replaced in keys, lists and every depth; what is not text stays', () => {
    const given = { 'k-${A}': [{ deep: ['${B}', 1, true, null, 2.5] }], '${UNKNOWN}': {}, empty: [] };
    expect(data(given, [A, B])).toEqual({ 'k-a': [{ deep: ['b', 1, true, null, 2.5] }], '${UNKNOWN}': {}, empty: [] });
  });

  it.each(['$&', '$1', '$$', '${B}', '${A}', '\\', '"'])(
    'to a value such as %s gets it to the letter, once',
    (value) => {
      expect(data('<${A}> ${B}', [A, B], { A: value })).toBe(`<${value}> b`);
    },
  );
});

describe('a reference to other than text', () => {
  it.each([
    { value: '3', result: 3 },
    { value: '0.5', result: 0.5 },
    { value: 'true', result: true },
    { value: 'null', result: null },
    { value: '"text"', result: 'text' },
    { value: '{"a":[1]}', result: { a: [1] } },
  ])('$value becomes $result', ({ value, result }) => {
    expect(data({ replicas: '${{A}}' }, [A], { A: value })).toEqual({ replicas: result });
  });

  it('is plain text in a key', () => {
    expect(data({ '${{A}}': 1 }, [A])).toEqual({ '${{A}}': 1 });
  });

  it.each(['one', '', '1Gi', "'x'"])('"%s", which is not JSON, stays text', (value) => {
    expect(data({ replicas: '${{A}}' }, [A], { A: value })).toEqual({ replicas: value });
  });
});

describe('the value of a parameter', () => {
  it.each([
    { given: 'its default', declared: [A], values: {}, result: 'a' },
    { given: 'a given one', declared: [A], values: { A: 'x' }, result: 'x' },
    { given: 'a given one that is empty', declared: [A], values: { A: '' }, result: '' },
    { given: 'no default', declared: [{ name: 'A' }], values: {}, result: '' },
    { given: 'null for a default', declared: [{ name: 'A', value: null }], values: {}, result: '' },
    { given: 'a whole number', declared: [{ name: 'A', value: 123 }], values: {}, result: '123' },
    { given: 'a fraction', declared: [{ name: 'A', value: 0.5 }], values: {}, result: '0.5' },
    { given: 'nought', declared: [{ name: 'A', value: 0 }], values: {}, result: '0' },
    { given: 'a truth value', declared: [{ name: 'A', value: false }], values: {}, result: 'false' },
    { given: 'a structure', declared: [{ name: 'A', value: { a: [1] } }], values: {}, result: '{"a":[1]}' },
    { given: 'two defaults, the last', declared: [A, { name: 'A', value: 'z' }], values: {}, result: 'z' },
    {
      given: 'two defaults and a given one',
      declared: [A, { name: 'A', value: 'z' }],
      values: { A: 'x' },
      result: 'x',
    },
    { given: 'undeclared names beside it', declared: [A], values: { C: 'c' }, result: 'a' },
  ])('$given', ({ declared, values, result }) => {
    expect(data('${A}', declared, values)).toBe(result);
  });

  it('counts for every declaration and every reference: a channel set for two integrations is not lost', () => {
    const channel = { name: 'SLACK_RECONCILE_ERR_CHANNEL_NAME', value: 'stage' };
    const texts = ['${SLACK_RECONCILE_ERR_CHANNEL_NAME}', '#${SLACK_RECONCILE_ERR_CHANNEL_NAME}'];
    expect(data(texts, [channel, A, channel], { [channel.name]: 'live' })).toEqual(['live', '#live']);
  });

  it('that is not declared is no value', () => {
    expect(data('${C}', [A], { C: 'c' })).toBe('${C}');
  });
});

describe('a parameter that wants a value', () => {
  it.each([
    { given: 'none', parameter: { name: 'A', required: true }, values: {} },
    { given: 'an empty default', parameter: { name: 'A', required: true, value: '' }, values: {} },
    { given: 'an empty given one', parameter: { ...A, required: true }, values: { A: '' } },
    { given: 'a generator', parameter: { name: 'A', generate: 'expression' }, values: {} },
  ])('with $given is refused, also where nothing refers to it', ({ parameter, values }) => {
    expect(faultOf(() => data('', [parameter], values))).toMatchObject({
      code: 'PARAMETER_MISSING',
      message: 'no value for the template parameter A',
      hint: "set A in the environment's parameters, or pass --parameter A=VALUE",
    });
  });

  it.each([
    { given: 'a default', parameter: { ...A, required: true }, values: {} },
    { given: 'a given one', parameter: { name: 'A', required: true }, values: { A: 'x' } },
    { given: 'nothing, when it is not required', parameter: { name: 'A', required: false }, values: {} },
  ])('with $given is content', ({ parameter, values }) => {
    expect(data('x', [parameter], values)).toBe('x');
  });
});

describe('an object', () => {
  const processed = (metadata: object, labels?: Given) => {
    const objects = [{ apiVersion: 'v1', kind: 'Service', metadata, spec: { a: 1 } }];
    const template: Template = {
      kind: 'Template',
      objects,
      parameters: [A],
      ...defined({ labels }),
    };
    return processTemplate(template, new Map())[0];
  };

  it('loses a namespace that the template writes down, and nothing else', () => {
    const object = processed({ name: 'x', namespace: 'elsewhere', annotations: { n: 'namespace' } });
    const metadata = { name: 'x', annotations: { n: 'namespace' } };
    expect(object).toEqual({ apiVersion: 'v1', kind: 'Service', metadata, spec: { a: 1 } });
  });

  it.each([
    { given: 'none of its own', own: undefined, labels: { app: 'x' }, result: { app: 'x' } },
    { given: 'others', own: { b: 'y' }, labels: { app: 'x' }, result: { b: 'y', app: 'x' } },
    { given: 'the same, which gives way', own: { app: 'y' }, labels: { app: 'x' }, result: { app: 'x' } },
    { given: 'references', own: {}, labels: { 'k-${A}': 'v-${A}' }, result: { 'k-a': 'v-a' } },
    { given: 'no labels of the template', own: { b: 'y' }, labels: {}, result: { b: 'y' } },
  ])('gets the labels of the template, with $given', ({ own, labels, result }) => {
    const object = processed({ name: 'x', ...defined({ labels: own }) }, labels as Given);
    expect(object?.['metadata']).toEqual({ name: 'x', labels: result });
  });
});

describe('processing', () => {
  const leaf = fc.oneof(fc.string(), fc.constantFrom('${A}', 'x${B}', '${C}', '${{C}}'), fc.integer(), fc.boolean());
  const anything = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('node')),
      fc.dictionary(fc.string({ minLength: 1 }), tie('node')),
    ),
  })).node;

  it('changes nothing that it is given, and without references nothing at all', () => {
    holds(
      fc.property(anything, (value) => {
        const before = structuredClone(value);
        expect(data(value, [])).toEqual(before);
        data(value, [A, B]);
        expect(value).toEqual(before);
      }),
    );
  });
});
