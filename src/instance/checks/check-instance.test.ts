import { describe, expect, it } from 'vitest';
import { handMadeSnapshot } from '../../../test/support/hand-made-snapshot.ts';
import { checkInstance } from './check-instance.ts';

const CLUSTER = `$schema: /openshift/cluster-1.yml
name: x
serverUrl: 5
`;
const SCHEMA = { type: 'object', required: ['owner'], properties: { serverUrl: { type: 'string' } } };

describe('every check runs', () => {
  it('and what they find has lines, ordered by file and line', async () => {
    const snapshot = handMadeSnapshot({ '/a.yml': `${CLUSTER}ocm: { $ref: /no.yml }\n`, '/b.yml': CLUSTER });
    const problems = await checkInstance(snapshot);
    expect(problems.map(({ file, line, column, rule }) => `${file}:${line}:${column} ${rule}`)).toEqual([
      'data/a.yml:3:12 wrong-type',
      'data/a.yml:4:14 ref-dangling',
      'data/b.yml:2:7 duplicate-name',
      'data/b.yml:3:12 wrong-type',
    ]);
  });

  it('with the schemas that came with the data', async () => {
    const snapshot = handMadeSnapshot({ '/a.yml': CLUSTER }, { schemas: { '/openshift/cluster-1.yml': SCHEMA } });
    const problems = await checkInstance(snapshot);
    expect(problems.map(({ rule, message }) => ({ rule, message }))).toEqual([
      { rule: 'json-schema', message: 'owner is missing' },
      { rule: 'wrong-type', message: expect.stringContaining('serverUrl must be text') },
    ]);
  });

  it('with the schemas that are given before those that came with the data', async () => {
    const snapshot = handMadeSnapshot({ '/a.yml': CLUSTER }, { schemas: { '/openshift/cluster-1.yml': SCHEMA } });
    const problems = await checkInstance(snapshot, { schemas: new Map([['/openshift/cluster-1.yml', {}]]) });
    expect(problems.map(({ rule }) => rule)).toEqual(['wrong-type']);
  });

  it('those of other parts of Echelon too', async () => {
    const snapshot = handMadeSnapshot({ '/a.yml': CLUSTER.replace('5', 'https://api.example.com') });
    const finding = {
      rule: 'own',
      severity: 'warning',
      path: '/a.yml',
      keys: ['name'],
      message: 'm',
      hint: 'h',
    } as const;
    expect(await checkInstance(snapshot, { checks: [() => [finding]] })).toEqual([
      { rule: 'own', severity: 'warning', file: 'data/a.yml', line: 2, column: 7, at: 'name', message: 'm', hint: 'h' },
    ]);
  });

  it('and says nothing of lines where no text is kept', async () => {
    const content = { $schema: '/openshift/cluster-1.yml', name: 'x', serverUrl: 5 };
    const [problem, ...more] = await checkInstance(handMadeSnapshot({ '/a.yml': content }));
    expect(problem).toMatchObject({ rule: 'wrong-type', file: 'data/a.yml', at: 'serverUrl' });
    expect(problem).not.toHaveProperty('line');
    expect(more).toEqual([]);
  });
});
