import { describe, expect, it } from 'vitest';
import { handMadeSnapshot } from '../../../test/support/hand-made-snapshot.ts';
import type { Sources, TargetLocation } from '../targets/find-targets.ts';
import { uncovered } from './uncovered.ts';

const URL = 'https://github.com/app-sre/qontract-reconcile';
const OLD = '8c41f7e00cea9a802e72220cedf295ca087bbe5f';
const OTHER = '1234567890abcdef1234567890abcdef12345678';

const saas = (target: string, url = URL): string => `$schema: /app-sre/saas-file-2.yml
name: saas
resourceTemplates:
- name: manager
  url: ${url}
  targets:
  - ${target}
`;
const OWN_FILE = '{$ref: /targets/production.yml}';
const target = (more = ''): string =>
  `$schema: /app-sre/saas-file-target-1.yml\nname: production\nref: ${OTHER}\n${more}`;

function found(
  files: Record<string, string>,
  places: readonly TargetLocation[] = [],
  resources: Record<string, string> = {},
) {
  const snapshot = handMadeSnapshot(files, { resources: Object.keys(resources).map((path) => `/${path}`) });
  const read: Sources['read'] = (file) => {
    const text = resources[file.replace(/^resources\//, '')];
    return text === undefined ? undefined : Buffer.from(text);
  };
  const known = { upstream: { name: 'reconcile', url: URL }, places, old: [OLD] };
  return uncovered({ snapshot, read }, known).map(({ at, message }) => `${at} ${message.split(',')[0]}`);
}

describe('what no target covers', () => {
  it.each([
    {
      given: 'a ref of a saas file',
      files: { '/saas.yml': saas(`{name: production, ref: ${OTHER}}`) },
      notes: [`data/saas.yml:7 ref is ${OTHER}`],
    },
    {
      given: 'a ref of a target in a file of its own',
      files: { '/saas.yml': saas(OWN_FILE), '/targets/production.yml': target() },
      notes: [`data/targets/production.yml:3 ref is ${OTHER}`],
    },
    {
      given: 'no ref of a target in a file of its own that a subscription moves',
      files: { '/saas.yml': saas(OWN_FILE), '/targets/production.yml': target('promotion: {auto: true}\n') },
      notes: [],
    },
    {
      given: 'no ref of another upstream',
      files: { '/saas.yml': saas(OWN_FILE, 'https://github.com/x/y'), '/targets/production.yml': target() },
      notes: [],
    },
    {
      given: 'no ref of a target that nobody deploys',
      files: { '/targets/production.yml': target() },
      notes: [],
    },
    {
      given: 'no ref that is a branch',
      files: { '/saas.yml': saas('{name: production, ref: main}') },
      notes: [],
    },
    {
      given: 'an old value, short or whole, wherever it is',
      files: { '/x.yml': `a: ${OLD}\nb: [${OLD.slice(0, 7)}]\nc: ${OLD.slice(0, 6)}\n` },
      notes: [`data/x.yml:1 a is ${OLD}`, `data/x.yml:2 0 is ${OLD.slice(0, 7)}`],
    },
    {
      given: 'a key that is known by its name',
      files: { '/x.yml': `variables:\n  qontract_reconcile_image_tag: abc1234\n` },
      notes: ['data/x.yml:2 qontract_reconcile_image_tag is abc1234'],
    },
    {
      given: 'no pin: it is meant to stay',
      files: { '/i.yml': `$schema: /app-sre/integration-1.yml\nimageRef: ${OLD.slice(0, 7)}\n` },
      notes: [],
    },
  ])('is $given', ({ files, notes }) => {
    expect(found(files)).toEqual(notes);
  });

  it('is told of resources by line', () => {
    const text = `a: 1\nqontract_reconcile_image_tag: 'abc1234'\nnote: ${OLD.slice(0, 7)}\n`;
    expect(found({}, [], { 'jenkins.yaml': text })).toEqual([
      'resources/jenkins.yaml:2 qontract_reconcile_image_tag is abc1234',
      `resources/jenkins.yaml:3 found ${OLD.slice(0, 7)}`,
    ]);
  });

  it('is not what a target covers', () => {
    const files = { '/saas.yml': saas(OWN_FILE), '/targets/production.yml': target() };
    expect(found(files, [{ by: 'yaml', file: 'data/targets/production.yml', keys: ['ref'] }])).toEqual([]);
  });

  it('is cut after twenty', () => {
    const lines = Array.from({ length: 25 }, (_, index) => `k${index}: ${OLD}`).join('\n');
    const notes = found({ '/x.yml': `${lines}\n` });
    expect(notes).toHaveLength(21);
    expect(notes.at(-1)).toContain('5 more places');
  });
});

it('a line that a target by key covers is not reported, whatever its key', () => {
  const line: TargetLocation = { by: 'line', file: 'resources/r.j2', key: 'tool', index: 0, matches: 1 };
  const resources = { 'r.j2': `{{ x }}\ntool: ${OLD.slice(0, 7)}\nother: ${OLD.slice(0, 7)}\n` };
  expect(found({}, [line], resources)).toEqual([`resources/r.j2:3 found ${OLD.slice(0, 7)}`]);
});
