import { describe, expect, it } from 'vitest';
import { EchelonError } from '../../base/index.ts';
import { knownDistances } from '../versions/known-distances.ts';
import { type ComparePorts, type Counted, versionCounter } from './compare-versions.ts';

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
