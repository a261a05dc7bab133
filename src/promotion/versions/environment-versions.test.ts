import { describe, expect, it } from 'vitest';
import { type Instance, MANAGER_RESOURCE } from '../../instance/index.ts';
import { environmentVersions } from './environment-versions.ts';

const UPSTREAM = 'https://git.example/up';

/** One integration in one environment, whose file has this text. */
function instanceWith(text: string | undefined, spec: object = {}): Instance {
  const environment = { name: 'prod', file: '/env.yml', parameters: { IMAGE_TAG: 'abc1234' } };
  const namespace = { name: 'n', cluster: { name: 'c' }, environment };
  return {
    integrations: [{ name: 'i', file: '/i.yml', upstream: UPSTREAM, managed: [{ keys: [], namespace, spec }] }],
    environments: [environment],
    saasFiles: [],
    snapshot: { echelonFiles: new Map(), text: (file: string) => (file === '/env.yml' ? text : 'imageRef: feed123\n') },
  } as unknown as Instance;
}

describe('the line that declares a version', () => {
  it.each([
    { given: 'its tag', text: 'name: prod\nIMAGE_TAG: abc1234\n', place: { file: '/env.yml', line: 2 } },
    { given: 'the whole commit', text: `ref: ${'abc1234'.padEnd(40, '0')}\n`, place: { file: '/env.yml', line: 1 } },
    { given: 'it in quotes', text: "x: 1\nIMAGE_TAG: 'abc1234'\n", place: { file: '/env.yml', line: 2 } },
    { given: 'it in a comment, too', text: '# abc1234\nIMAGE_TAG: abc1234\n', place: { file: '/env.yml', line: 2 } },
    { given: 'it twice: no line is claimed', text: 'a: abc1234\nb: abc1234\n', place: { file: '/env.yml' } },
    { given: 'it within another word', text: 'a: xabc1234\n', place: {} },
    { given: 'nothing of it', text: 'a: 1\n', place: {} },
    { given: 'no text, as of a server', text: undefined, place: {} },
  ])('in a file with $given', ({ text, place }) => {
    expect(environmentVersions(instanceWith(text))).toEqual([
      { upstream: UPSTREAM, environment: 'prod', integrations: 1, version: 'abc1234', ...place },
    ]);
  });

  it('is in the integration where that has an image of its own', () => {
    expect(environmentVersions(instanceWith('IMAGE_TAG: abc1234\n', { imageRef: 'feed123' }))).toMatchObject([
      { version: 'feed123', file: '/i.yml', line: 1 },
    ]);
  });

  it.each([
    {
      given: 'one of two entries with the same tag',
      text: 'upstreams:\n- { image: x, tag: v1 }\n- url: https://git.example/up\n  image: y\n  tag: v1 # abc\n',
      is: { version: 'v1', file: 'resources/echelon/manager.yml', line: 5 },
    },
    {
      given: 'the commit of a ref',
      text: `upstreams:\n- { url: https://git.example/up, image: y,\n    tagRef: ${'abc1234'.padEnd(40, '0')} }\n`,
      is: { version: 'abc1234', file: 'resources/echelon/manager.yml', line: 3 },
    },
    {
      given: 'the name of a parameter, whose value is elsewhere',
      text: 'upstreams: [{ url: https://git.example/up, image: y, tagParameter: IMAGE_TAG }]\n',
      is: { version: 'abc1234', file: '/env.yml', line: 1 },
    },
    {
      given: 'nothing about the upstream',
      text: 'upstreams: [{ image: y, tag: v1 }]\n',
      is: { version: 'abc1234', file: '/env.yml', line: 1 },
    },
  ])('is in manager.yml where that has $given', ({ text, is }) => {
    const instance = instanceWith('IMAGE_TAG: abc1234\n');
    const snapshot = { ...instance.snapshot, echelonFiles: new Map([[MANAGER_RESOURCE, text]]) };
    expect(environmentVersions({ ...instance, snapshot })).toEqual([
      { upstream: UPSTREAM, environment: 'prod', integrations: 1, ...is },
    ]);
  });

  it('is of no upstream where the integration has none and manager.yml has its image', () => {
    const instance = instanceWith(undefined);
    const integrations = instance.integrations.map(({ upstream: _, ...one }) => one);
    const echelonFiles = new Map([[MANAGER_RESOURCE, 'upstreams: [{ image: x, tag: v1 }]\n']]);
    const [one] = environmentVersions({ ...instance, integrations, snapshot: { ...instance.snapshot, echelonFiles } });
    expect(one).toMatchObject({ upstream: '', version: 'v1', line: 1 });
  });

  it('is none of what is not operated', () => {
    expect(environmentVersions(instanceWith('IMAGE_TAG: abc1234\n'), () => false)).toEqual([]);
  });
});
