import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from './protobuf.ts';
import { struct } from './schema.ts';

const varint = (value: number): Buffer =>
  value < 0x80 ? Buffer.from([value]) : Buffer.concat([Buffer.from([(value & 0x7f) | 0x80]), varint(value >>> 7)]);
const message = (...parts: Buffer[]): Buffer => Buffer.concat(parts);
const bytes = (number: number, value: string | Buffer): Buffer =>
  Buffer.concat([varint((number << 3) | 2), varint(Buffer.byteLength(value)), Buffer.from(value)]);
const integer = (number: number, value: number): Buffer => Buffer.concat([varint(number << 3), varint(value)]);
/** As kubectl wraps it. */
const sent = (raw: Buffer): Buffer =>
  Buffer.concat([Buffer.from('k8s\0'), bytes(1, bytes(1, 'v1')), bytes(2, raw), bytes(3, '')]);

describe('an object in protobuf', () => {
  it.each([
    { what: 'text', type: 'core.v1.Toleration', raw: bytes(1, 'a'), value: { key: 'a' } },
    { what: 'a number', type: 'apps.v1.DeploymentSpec', raw: integer(1, 300), value: { replicas: 300 } },
    {
      what: 'a negative number',
      type: 'core.v1.Toleration',
      raw: message(varint(5 << 3), Buffer.from('ffffffffffffffffff01', 'hex')),
      value: { tolerationSeconds: -1 },
    },
    { what: 'a truth value', type: 'apps.v1.DeploymentSpec', raw: integer(7, 1), value: { paused: true } },
    {
      what: 'a list',
      type: 'core.v1.ExecAction',
      raw: message(bytes(1, 'a'), bytes(1, 'b')),
      value: { command: ['a', 'b'] },
    },
    {
      what: 'a map of bytes',
      type: 'core.v1.Secret',
      raw: bytes(2, message(bytes(1, 'k'), bytes(2, 'hush'))),
      value: { data: { k: 'aHVzaA==' } },
    },
    { what: 'a port by number', type: 'core.v1.TCPSocketAction', raw: bytes(1, integer(2, 80)), value: { port: 80 } },
    {
      what: 'a port by name',
      type: 'core.v1.TCPSocketAction',
      raw: bytes(1, message(integer(1, 1), bytes(3, 'http'))),
      value: { port: 'http' },
    },
    {
      what: 'a quantity',
      type: 'core.v1.ResourceRequirements',
      raw: bytes(1, message(bytes(1, 'cpu'), bytes(2, bytes(1, '1')))),
      value: { limits: { cpu: '1' } },
    },
    {
      what: 'a time',
      type: 'meta.v1.ObjectMeta',
      raw: bytes(8, integer(1, 86_400)),
      value: { creationTimestamp: '1970-01-02T00:00:00.000Z' },
    },
    { what: 'no time', type: 'meta.v1.ObjectMeta', raw: bytes(8, ''), value: { creationTimestamp: null } },
    {
      what: 'a message that JSON does not have',
      type: 'core.v1.ConfigMapKeySelector',
      raw: message(bytes(1, bytes(1, 'settings')), bytes(2, 'colour')),
      value: { name: 'settings', key: 'colour' },
    },
    { what: 'a field of a later release', type: 'core.v1.Toleration', raw: bytes(900, 'x'), value: {} },
  ])('of $what is read', ({ type, raw, value }) => {
    expect(decodeProtobuf(sent(raw), struct(type))).toEqual(value);
  });

  it.each([
    { given: 'JSON', body: Buffer.from('{}'), says: 'is not a protobuf object' },
    { given: 'half an object', body: sent(bytes(1, 'abc')).subarray(0, 16), says: 'cut short' },
    { given: 'a group', body: sent(Buffer.from([3])), says: 'wire type 3' },
  ])('that is $given is refused', ({ body, says }) => {
    expect(() => decodeProtobuf(body, struct('core.v1.Toleration'))).toThrow(says);
  });
});
