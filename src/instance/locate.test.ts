import { describe, expect, it } from 'vitest';
import { handMadeSnapshot, ref } from '../../test/support/hand-made-snapshot.ts';
import { atOnce, suggestions } from '../base/index.ts';
import { checkInstance } from './checks/check-instance.ts';
import { instanceSteps } from './domain/read-instance.ts';
import { problemSteps } from './locate.ts';
import type { Snapshot } from './snapshot.ts';
import { loadYaml } from './yaml/yaml11.ts';

const FILE = '/a.yml';

/** An instance with one integration file, and how often its text is read, which costs a parse. */
function counted(text: string): { readonly snapshot: Snapshot; reads(): number } {
  let reads = 0;
  const made = handMadeSnapshot({ [FILE]: loadYaml(text).value as Record<string, unknown> });
  const read = (path: string): string | undefined => {
    reads += 1;
    return path === FILE ? text : undefined;
  };
  return { snapshot: { ...made, text: read }, reads: () => reads };
}

const HEAD = '$schema: /app-sre/integration-1.yml\nname: a\ndescription: b\nschemas: []\nmanaged:\n';
const HEAD_OF_LIST = '$schema: /app-sre/integration-1.yml\nname: a\ndescription: b\nschemas: ';
const bad = (entries: number): string =>
  `${HEAD}${'- namespace: 1\n  spec: { command: 010, resources: {} }\n'.repeat(entries)}`;

describe('a file with many problems', () => {
  it.each([10, 1_000])('of which %i entries have two is parsed once to read and once to locate', (entries) => {
    const { snapshot, reads } = counted(bad(entries));
    const { findings } = atOnce(instanceSteps(snapshot));
    expect(findings).toHaveLength(2 * entries);
    expect(reads()).toBe(1);
    atOnce(problemSteps(snapshot, findings));
    expect(reads()).toBe(2);
  });

  it('reports a hundred with their lines, and last of all how many more there are', async () => {
    const problems = await checkInstance(counted(bad(300)).snapshot);
    expect(problems).toHaveLength(101);
    expect(problems[0]).toMatchObject({
      line: 6,
      column: 14,
      message: 'namespace must be a mapping, but is the number',
    });
    expect(problems[99]).toMatchObject({ line: 105 });
    expect(problems[100]).toEqual({
      rule: 'more-problems',
      severity: 'error',
      file: 'data/a.yml',
      message: '500 more problems in this file',
      hint: 'fix those that are listed, then validate again',
    });
  });

  it('reports errors before warnings', async () => {
    const { snapshot } = counted(
      `${HEAD}- namespace: 1\n  spec: { resources: {} }\n${Array.from({ length: 200 }, (_, at) => `f${at}: 1\n`).join('')}`,
    );
    const problems = await checkInstance(snapshot);
    expect(problems.filter(({ severity }) => severity === 'error')).toHaveLength(1);
    expect(problems.at(-1)).toMatchObject({
      rule: 'more-problems',
      severity: 'warning',
      message: '101 more problems in this file',
    });
  });

  it('yields after every file, so that others can run', () => {
    const file = { $schema: '/aws/account-1.yml' };
    const yields = (files: number): number =>
      [
        ...instanceSteps(
          handMadeSnapshot(Object.fromEntries(Array.from({ length: files }, (_, at) => [`/${at}.yml`, file]))),
        ),
      ].length;
    expect(yields(200) - yields(100)).toBe(100);
  });

  it('reports the first hundred entries of a long list, each as it is written', async () => {
    const problems = await checkInstance(counted(`${HEAD_OF_LIST}[${'0x10,'.repeat(1_200)}]\n`).snapshot);
    expect(problems.map(({ at }) => at)).toEqual([
      ...Array.from({ length: 100 }, (_, index) => `schemas[${index}]`),
      undefined,
    ]);
    expect(problems[99]?.message).toBe('schemas must be text, but YAML reads 0x10 as the number 16');
    expect(problems[100]?.message).toBe('1100 more problems in this file');
  });

  it('with a long value shows the beginning of it', async () => {
    const text = `${HEAD}- namespace: { $ref: /x }\n  spec: { resources: { limits: { cpu: '${'9'.repeat(160_000)}x' } } }\n`;
    const problems = await checkInstance(counted(text).snapshot);
    expect(problems.map(({ rule }) => rule)).toContain('bad-quantity');
    for (const { message } of problems) expect(message.length).toBeLessThan(1_100);
  });
});

describe('suggestions', () => {
  it('look a name up once, and give up after a hundred names', () => {
    let comparisons = 0;
    const names = Array.from({ length: 50 }, (_, at) => `/clusters/c${at}.yml`);
    const candidates = Object.assign(new Set(names), {
      keys: () => {
        comparisons += 1;
        return names.values();
      },
    });
    const suggest = suggestions();
    for (let at = 0; at < 5_000; at += 1) suggest('/clusters/cx.yml', candidates, 'none');
    expect(comparisons).toBe(1);
    for (let at = 0; at < 5_000; at += 1) suggest(`/clusters/x${at}.yml`, candidates, 'none');
    expect(comparisons).toBe(100);
  });

  it('are the same for every reference to the same file', async () => {
    const file = (name: string) => ({ $schema: '/openshift/namespace-1.yml', name, cluster: ref('/c/labb.yml') });
    const files = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`/n${at}.yml`, file(`n${at}`)]));
    const problems = await checkInstance(handMadeSnapshot({ ...files, '/c/lab.yml': { $schema: '/x-1.yml' } }));
    const hints = problems.filter(({ rule }) => rule === 'ref-dangling').map(({ hint }) => hint);
    expect(new Set(hints)).toEqual(new Set(['did you mean /c/lab.yml?']));
    expect(hints).toHaveLength(120);
  });
});
