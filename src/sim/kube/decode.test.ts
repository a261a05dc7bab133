import { describe, expect, it } from 'vitest';
import { decodeObject, type FieldValidation } from './decode.ts';
import { CONFIG_MAPS, DEPLOYMENTS, LEASES, type Resource } from './resources.ts';

function decode(body: string, mode: FieldValidation, resource: Resource = CONFIG_MAPS, type = 'application/json') {
  return decodeObject(body, type, resource, mode);
}

describe('fields that a kind does not have', () => {
  const body = '{"metadata":{"name":"a","zap":1},"foo":{"bar":1},"data":{"any":"thing"}}';

  it('are told to who asks to be warned', () => {
    expect(decode(body, 'Warn').strictErrors).toEqual(['unknown field "metadata.zap"', 'unknown field "foo"']);
  });

  it('are not told to who ignores them', () => {
    expect(decode(body, 'Ignore').strictErrors).toEqual([]);
  });

  it('are refused strictly', () => {
    expect(() => decode(body, 'Strict')).toThrow(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.zap", unknown field "foo"',
    );
  });

  it('are found in items of lists, under the case they are written in', () => {
    const deployment = '{"spec":{"template":{"spec":{"containers":[{"name":"a"},{"Name":"b"}]}}}}';
    expect(decode(deployment, 'Warn', DEPLOYMENTS).strictErrors).toEqual([
      'unknown field "spec.template.spec.containers[1].Name"',
    ]);
  });
});

describe('a body', () => {
  it('with a field twice is told of', () => {
    expect(decode('{"data":{"a":"1","a":"2"}}', 'Warn').strictErrors).toEqual(['duplicate field "data.a"']);
  });

  it('may be YAML', () => {
    expect(decode('metadata: {name: a}\ndata:\n  x: y\n', 'Strict', CONFIG_MAPS, 'application/yaml').value).toEqual({
      metadata: { name: 'a' },
      data: { x: 'y' },
    });
  });

  it.each([
    {
      body: '{"spec":{"replicas":"3"}}',
      resource: DEPLOYMENTS,
      says: 'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    },
    {
      body: '{"spec":{"replicas":1.5}}',
      resource: DEPLOYMENTS,
      says: 'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    },
    {
      body: '{"metadata":{"labels":{"a":1}}}',
      resource: CONFIG_MAPS,
      says: 'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    },
    {
      body: '{"spec":{"renewTime":"2026-01-01T00:00:00.123Z"}}',
      resource: LEASES,
      says: 'parsing time "2026-01-01T00:00:00.123Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse ".123Z" as ".000000"',
    },
    {
      body: '{"apiVersion":"v1","kind":"Pod"}',
      resource: DEPLOYMENTS,
      says: 'Pod in version "v1" cannot be handled as a Deployment',
    },
    {
      body: '{"apiVersion":"v2"}',
      resource: CONFIG_MAPS,
      says: 'the API version in the data (v2) does not match the expected API version (v1)',
    },
    {
      body: '{"metadata":',
      resource: CONFIG_MAPS,
      says: "couldn't get version/kind; json parse error: unexpected end of JSON input",
    },
    { body: 'xx', resource: CONFIG_MAPS, says: "invalid character 'x' looking for beginning of value (7878)" },
    {
      body: '{"a":1,}',
      resource: CONFIG_MAPS,
      says: "invalid character '}' looking for beginning of object key string",
    },
  ])('$body is refused', ({ body, resource, says }) => {
    expect(() => decode(body, 'Ignore', resource)).toThrow(says);
    expect(() => decode(body, 'Ignore', resource)).toThrow(expect.objectContaining({ code: 400 }));
  });

  it('of a type that is not read is refused', () => {
    expect(() => decode('{}', 'Ignore', CONFIG_MAPS, 'text/plain')).toThrow(expect.objectContaining({ code: 415 }));
  });
});
