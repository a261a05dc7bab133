import { describe, expect, it } from 'vitest';
import { readManagerFile } from './manager-file.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;

describe('manager.yml', () => {
  it.each([
    { given: 'nothing but an image', text: 'upstreams: [{ image: example.com/x }]' },
    { given: 'a registry with a port', text: 'upstreams: [{ image: "localhost:5000/x" }]' },
    { given: 'a tag with its digest', text: `upstreams: [{ image: x, tag: "v1@${DIGEST}" }]` },
    { given: 'only defaults', text: 'defaults: { environment: lab }' },
    { given: 'a ref', text: 'upstreams: [{ url: u, image: x, tagRef: main, chart: /charts/x }]' },
  ])('with $given is good', ({ text }) => {
    expect(readManagerFile(text)).toMatchObject({ problems: [], file: {} });
  });

  it.each([
    { given: 'nothing', text: '# later\n', rule: 'empty-file', at: [1, 1] },
    { given: 'a list', text: '- a\n', rule: 'not-a-mapping', at: [1, 1] },
    { given: 'no image', text: 'upstreams:\n- url: u\n', rule: 'missing-field', at: [2, 3] },
    { given: 'a tag in the repository', text: 'upstreams:\n- image: x:v1\n', rule: 'bad-value', at: [2, 10] },
    { given: 'a repository that is none', text: 'upstreams:\n- image: --x\n', rule: 'bad-value', at: [2, 10] },
    { given: 'a tag that is none', text: 'upstreams:\n- { image: x, tag: a b }\n', rule: 'bad-value', at: [2, 20] },
    {
      given: 'a number for a tag',
      text: 'upstreams:\n- { image: x, tag: 0123456 }\n',
      rule: 'wrong-type',
      at: [2, 20],
    },
    {
      given: 'two tags',
      text: 'upstreams:\n- { image: x, tag: a, tagParameter: B }\n',
      rule: 'bad-value',
      at: [2, 37],
    },
    { given: 'a ref of nothing', text: 'upstreams:\n- { image: x, tagRef: main }\n', rule: 'bad-value', at: [2, 23] },
    { given: 'an upstream twice', text: 'upstreams:\n- &a { url: u, image: x }\n- *a\n', rule: 'duplicate-name' },
    { given: 'two without url', text: 'upstreams:\n- image: x\n- image: y\n', rule: 'duplicate-name', at: [3, 3] },
    { given: 'an unknown field', text: 'default: {}\n', rule: 'unknown-field', at: [1, 1] },
    { given: 'an unknown default', text: 'defaults: { env: lab }\n', rule: 'unknown-field', at: [1, 13] },
  ])('with $given is a problem with its place', ({ text, rule, at }) => {
    const { file, problems } = readManagerFile(text);
    expect(file).toBeUndefined();
    expect(problems).toMatchObject([{ rule, file: 'resources/echelon/manager.yml' }]);
    if (at !== undefined) expect([problems[0]?.line, problems[0]?.column]).toEqual(at);
  });
});
