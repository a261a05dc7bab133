import { describe, expect, it } from 'vitest';
import { readChartOutput } from './chart-output.ts';

const SERVICE = 'apiVersion: v1\nkind: Service\nmetadata: {name: s}\n';
const TEMPLATE = 'apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: t}\n';
const PARSED = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' } };

describe('what a chart writes', () => {
  it('a Template, with numbers for parameters as they are', () => {
    const text = `---\n# Source: chart/templates/template.yaml\n${TEMPLATE}labels: {a: b}
objects:
- apiVersion: v1
  kind: Service
  metadata: {name: s}
parameters:
- {name: CPU, value: 123}
- {name: HALF, value: 0.5}
- {name: NONE}
- {name: MUST, required: true}
`;
    expect(readChartOutput(text)).toEqual({
      kind: 'Template',
      objects: [PARSED],
      labels: { a: 'b' },
      parameters: [
        { name: 'CPU', value: 123 },
        { name: 'HALF', value: 0.5 },
        { name: 'NONE' },
        { name: 'MUST', required: true },
      ],
    });
  });

  it.each([
    { given: 'nothing', text: '', objects: [] },
    { given: 'comments and empty documents', text: '---\n# Source: a\n---\n---\n# Source: b\n', objects: [] },
    { given: 'one object', text: SERVICE, objects: [PARSED] },
    {
      given: 'several, with empty documents between',
      text: `---\n${SERVICE}---\n---\n${SERVICE}`,
      objects: [PARSED, PARSED],
    },
  ])('plain manifests: $given', ({ text, objects }) => {
    expect(readChartOutput(text)).toEqual({ kind: 'manifests', objects });
  });

  it('a List of Kubernetes is the objects in it', () => {
    const text = `kind: List\napiVersion: v1\nitems:\n- ${JSON.stringify(PARSED)}\n---\n${SERVICE}`;
    expect(readChartOutput(text)).toEqual({ kind: 'manifests', objects: [PARSED, PARSED] });
  });

  it('a Template without objects or parameters', () => {
    expect(readChartOutput(`${TEMPLATE}objects:\nparameters:\n`)).toEqual({
      kind: 'Template',
      objects: [],
      parameters: [],
    });
  });
});

describe('what a chart must not write', () => {
  it.each([
    { given: 'two Templates', text: `${TEMPLATE}---\n${TEMPLATE}`, told: 'a Template next to other objects' },
    {
      given: 'a Template beside an object',
      text: `${SERVICE}---\n${TEMPLATE}`,
      told: 'a Template next to other objects',
    },
    { given: 'broken YAML', text: 'a: [1\nb: 2\n', told: 'text that is not YAML' },
    { given: 'a key twice', text: 'kind: A\nkind: B\n', told: 'text that is not YAML' },
    { given: 'a list', text: '- a\n', told: 'a document that is not an object: ["a"]' },
    { given: 'bare text', text: 'hello\n', told: 'a document that is not an object: "hello"' },
    {
      given: 'no kind',
      text: 'apiVersion: v1\nmetadata: {name: s}\n',
      told: 'an object without apiVersion, kind or metadata.name',
    },
    {
      given: 'no name',
      text: 'apiVersion: v1\nkind: Service\n',
      told: 'an object without apiVersion, kind or metadata.name',
    },
    {
      given: 'a number for a name',
      text: 'apiVersion: v1\nkind: Service\nmetadata: {name: 1}\n',
      told: 'an object without apiVersion',
    },
    {
      given: 'an object of a Template without a name',
      text: `${TEMPLATE}objects: [{kind: Service}]\n`,
      told: 'an object without',
    },
    {
      given: 'objects that are no list',
      text: `${TEMPLATE}objects: {a: 1}\n`,
      told: 'a Template whose objects is not a list',
    },
    {
      given: 'parameters that are no list',
      text: `${TEMPLATE}parameters: x\n`,
      told: 'a Template whose parameters is not a list',
    },
    {
      given: 'a parameter without a name',
      text: `${TEMPLATE}parameters: [{value: x}]\n`,
      told: 'a parameter without a name',
    },
    { given: 'a parameter that is text', text: `${TEMPLATE}parameters: [x]\n`, told: 'a parameter without a name' },
  ])('$given: $told', ({ text, told }) => {
    expect(() => readChartOutput(text)).toThrow(
      expect.objectContaining({ code: 'CHART_OUTPUT', message: expect.stringContaining(`the chart rendered ${told}`) }),
    );
  });

  it('does not flood the message with what it wrote', () => {
    expect(() => readChartOutput(JSON.stringify(['x'.repeat(10_000)]))).toThrow(/^.{0,120}$/);
  });
});
