import { describe, expect, it } from 'vitest';
import { EchelonError } from '../base/index.ts';
import { type Instance, MANAGER_RESOURCE } from '../instance/index.ts';
import { type ComparePorts, type Counted, environmentVersions, knownDistances, versionCounter } from './versions.ts';

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

const UP = 'https://git.example/up';
const commit = (index: number): string => index.toString(16).padStart(7, '0');

/** A forge that says how far apart the numbers of two commits are, or fails. */
function portsWith(fails: (from: string) => string | undefined = () => undefined) {
  const asked: string[] = [];
  const ports = {
    git: {
      openClone: async () => {
        throw new EchelonError({ code: 'NOT_A_REPOSITORY', message: 'no clone', hint: '' });
      },
    },
    forge: {
      open: async () => ({
        compareUrl: () => '',
        commitsBetween: async (from: string, to: string) => {
          asked.push(`${from}...${to}`);
          const code = fails(from);
          if (code !== undefined) throw new EchelonError({ code, message: `${from}: ${code}`, hint: '' });
          const total = Number.parseInt(to, 16) - Number.parseInt(from, 16);
          return { commits: [], total, lacking: 0, status: 'ahead' };
        },
      }),
    },
  } as unknown as ComparePorts;
  return { ports, asked };
}

const known = knownDistances;
const all = () => true;

describe('commits between versions', () => {
  it('are asked of the forge once, also by the next observation', async () => {
    const { ports, asked } = portsWith();
    const options = { known: known(), asksForge: all };
    for (const observation of [1, 2]) {
      const count = versionCounter(ports, options);
      expect(await count(UP, commit(1), commit(4)), `${observation}`).toEqual({ behind: 3, ahead: 0 });
      expect(await count(UP, commit(1), commit(4))).toEqual({ behind: 3, ahead: 0 });
    }
    expect(asked).toHaveLength(1);
  });

  it('of a branch or a tag are asked again: it may have moved', async () => {
    const { ports, asked } = portsWith();
    const options = { known: known(), asksForge: all };
    for (const _ of [1, 2]) await versionCounter(ports, options)(UP, 'main', commit(4));
    expect(asked).toHaveLength(2);
  });

  it.each([
    { given: 'a forge that fails', code: 'FORGE_UNREACHABLE', asked: 1, says: /^0000001: FORGE_UNREACHABLE$/ },
    { given: 'a commit that it does not have', code: 'FORGE_NOT_FOUND', asked: 2, says: /does not show both commits/ },
  ])('with $given are unknown with the reason, and only the former ends the questions', async ({ code, ...given }) => {
    const { ports, asked } = portsWith((from) => (from === commit(1) ? code : undefined));
    const options = { known: known(), asksForge: all };
    const count = versionCounter(ports, options);
    expect(await count(UP, commit(1), commit(4))).toEqual({ unknown: expect.stringMatching(given.says) });
    await count(UP, commit(2), commit(4));
    expect(asked).toHaveLength(given.asked);
    await versionCounter(ports, options)(UP, commit(1), commit(4));
    expect(asked, 'a failure is not remembered').toHaveLength(given.asked + 1);
  });

  it('are asked 50 times at most, and the next observation goes on', async () => {
    const { ports, asked } = portsWith();
    const options = { known: known(), asksForge: all };
    const observe = async (): Promise<Counted[]> => {
      const count = versionCounter(ports, options);
      const counted: Counted[] = [];
      for (let index = 0; index < 60; index += 1) counted.push(await count(UP, commit(index), commit(99)));
      return counted;
    };
    expect((await observe()).filter((one) => 'unknown' in one)).toHaveLength(10);
    expect(asked).toHaveLength(50);
    expect((await observe()).filter((one) => 'unknown' in one)).toEqual([]);
    expect(asked).toHaveLength(60);
  });

  it('are asked of no forge that is not configured, and of the forge where the folder is no clone', async () => {
    const { ports, asked } = portsWith();
    const count = versionCounter(ports, { known: known(), clone: '/nowhere', asksForge: (url) => url === UP });
    expect(await count('https://git.example/other', commit(1), commit(4))).toEqual({
      unknown: expect.stringContaining('--upstream-clone'),
    });
    expect(asked).toEqual([]);
    expect(await count(UP, commit(1), commit(4))).toEqual({ behind: 3, ahead: 0 });
  });
});
