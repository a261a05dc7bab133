import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { goFields } from './kube-go-types.ts';
import { compact, type Definition } from './kube-schema.ts';

const folder = mkdtempSync(join(tmpdir(), 'echelon-go-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function go(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

for (const group of ['apps', 'batch', 'coordination']) go(`api@v0/${group}/v1/types.go`, 'package v1\n');
go('apimachinery@v0/pkg/apis/meta/v1/types.go', 'package v1\n');
go(
  'api@v0/core/v1/types.go',
  `package v1

type Mode string

type Inner struct {
\tDeep *int32 \`json:"deep,omitempty" protobuf:"varint,4,opt,name=deep"\`
}

type Thing struct {
\tInner \`json:",inline" protobuf:"bytes,1,opt,name=inner"\`
\t// A comment with \`json:"commented"\`.
\tName string \`json:"name" protobuf:"x"\`
\tMode Mode \`json:"mode,omitempty" protobuf:"bytes,2,opt,name=mode,casttype=Mode"\`
\tCount *int32 \`json:"count,omitempty"\`
\tPart Inner \`json:"part,omitempty"\`
\tPartRef *Inner \`json:"partRef,omitempty"\`
\tSelector *Inner \`json:"selector"\`
\tList []Inner \`json:"list,omitempty"\`
\tSince metav1.Time \`json:"since,omitempty"\`
\tMade metav1.Time \`json:"made,omitempty,omitzero"\`
}
`,
);

describe('what a field of Go does when it is empty', () => {
  const goField = goFields(folder);
  it.each([
    { field: 'name', mark: '!' },
    { field: 'mode', mark: '' },
    { field: 'count', mark: '?' },
    { field: 'part', mark: '!' },
    { field: 'partRef', mark: '?' },
    { field: 'selector', mark: '~' },
    { field: 'list', mark: '' },
    { field: 'since', mark: '!' },
    { field: 'made', mark: '' },
    { field: 'deep', mark: '?' },
    { field: 'commented', mark: '' },
  ])('$field: "$mark"', ({ field, mark }) => {
    expect(goField('core.v1.Thing', field).presence).toBe(mark);
  });

  it('cannot be told without the modules', () => {
    expect(() => goFields(join(folder, 'nowhere'))).toThrow('holds no api@*/core/v1/types.go');
  });
});

describe('the number that a field of Go has in protobuf', () => {
  const goField = goFields(folder);
  it.each([
    { field: 'mode', number: '2' },
    { field: 'deep', number: '1.4' },
    { field: 'name', number: '' },
  ])('$field: "$number"', ({ field, number }) => {
    expect(goField('core.v1.Thing', field).number).toBe(number);
  });
});

describe('the notation of a field', () => {
  const port: Definition = {
    properties: { port: { type: 'integer', default: 0 }, protocol: { type: 'string', default: 'TCP' } },
  };
  const all = new Map<string, Definition>([['core.v1.Port', port]]);
  const ref: Definition = { allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.Port' }] };
  it.each([
    { given: { type: 'string' }, notation: 'string' },
    { given: { type: 'string', format: 'byte' }, notation: 'bytes' },
    { given: { type: 'integer', format: 'int32' }, notation: 'int32' },
    { given: ref, notation: 'core.v1.Port' },
    {
      given: { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity' }] },
      notation: 'quantity',
    },
    {
      given: { allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.CephFSVolumeSource' }] },
      notation: 'any',
    },
    { given: { type: 'array', items: { type: 'string' } }, notation: '[]string' },
    { given: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' }, notation: '[set]string' },
    {
      given: { type: 'array', items: { type: 'string' }, 'x-kubernetes-patch-strategy': 'merge' },
      notation: '[set]string',
    },
    {
      given: {
        type: 'array',
        items: ref,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['port', 'protocol'],
      },
      notation: '[port=0,protocol=TCP]core.v1.Port',
    },
    { given: { type: 'object', additionalProperties: { type: 'string' } }, notation: '{}string' },
    {
      given: { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
      notation: '{atomic}string',
    },
    { given: { type: 'object' }, notation: 'any' },
  ])('$given is $notation', ({ given, notation }) => {
    expect(compact('x', { properties: { field: given } }, all, () => ({ presence: '', number: '' }))).toEqual({
      field: notation,
    });
  });

  it('marks a struct that is one value', () => {
    const definition: Definition = {
      'x-kubernetes-map-type': 'atomic',
      properties: { b: { type: 'string' }, a: { type: 'string' } },
    };
    expect(Object.entries(compact('x', definition, all, () => ({ presence: '?', number: '3' })))).toEqual([
      ['*', 'atomic'],
      ['a', '3:string?'],
      ['b', '3:string?'],
    ]);
  });
});
