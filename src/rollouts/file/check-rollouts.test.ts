import { describe, expect, it } from 'vitest';
import { checkRollouts } from './check-rollouts.ts';
import { requireRollouts } from './read-rollouts.ts';

const FILE = `tracks:
- name: first
  match: { environments: [prod], integrations: [terraform-*] }
  waves:
  - { name: canary, shards: [acc-1] }
  - { name: rest }
  health: { queries: [] }
freezes:
- { name: f, from: 2026-12-20T00:00:00Z, until: 2027-01-03T00:00:00Z, match: { environments: [prod] }, reason: r }
`;

const shard = (id: string) => ({ id, integration: id.split('/')[0] ?? '', shard: id.split('/')[1] ?? '' });
const DECLARED = {
  environments: ['prod', 'stage'],
  integrations: ['terraform-users', 'terraform-resources', 'gitlab'],
  scopes: [
    {
      ...{ environment: 'prod', upstream: 'u', version: '0123456' },
      shards: ['terraform-users/acc-1', 'terraform-users/acc-2', 'gitlab/0'].map(shard),
    },
  ],
};

function told(content: string, declared = DECLARED): string[] {
  return checkRollouts(requireRollouts(content, 'r.yml'), content, 'r.yml', declared).map(
    ({ file, line, column, severity, message, hint }) => `${file}:${line}:${column} ${severity} ${message} (${hint})`,
  );
}

describe('rollouts.yml beside an instance', () => {
  it('has no problems when everything that it names exists', () => {
    expect(told(FILE)).toEqual([]);
  });

  it.each([
    {
      given: 'an unknown environment',
      from: 'environments: [prod], i',
      to: 'environments: [prd, prod], i',
      says: /^r\.yml:3:27 error no environment prd \(did you mean prod\?/,
    },
    {
      given: 'an unknown integration',
      from: '[terraform-*]',
      to: '[terraform-*, terraform-user]',
      says: /^r\.yml:3:62 error no integration terraform-user \(did you mean terraform-users\?/,
    },
    {
      given: 'a pattern that matches nothing',
      from: '[terraform-*]',
      to: '[terraform-*, tf-*]',
      says: /error no integration tf-\*/,
    },
    {
      given: 'an unknown shard',
      from: '[acc-1]',
      to: '[acc-1, acc-11]',
      says: /^r\.yml:5:37 error no shard acc-11 \(did you mean acc-1/,
    },
    { given: 'a shard of another track', from: '[acc-1]', to: '[acc-1, gitlab/0]', says: /error no shard gitlab\/0/ },
    {
      given: 'a wave without shards',
      from: '[acc-1] }',
      to: '[acc-1] }\n  - { name: again, shards: [terraform-users/acc-1] }',
      says: /^r\.yml:6:5 error wave again selects no shard in prod/,
    },
    {
      given: 'a last wave without shards',
      from: '[acc-1]',
      to: '[acc-1, acc-2]',
      says: /^r\.yml:6:5 warning wave rest selects no shard/,
    },
    {
      given: 'shards of no wave',
      from: '  - { name: rest }\n',
      to: '',
      says: /error no wave selects 1 shard of the track first/,
    },
    {
      given: 'a track that no shard reaches',
      from: '[terraform-*]',
      to: '[terraform-resources]',
      says: /^r\.yml:3:10 error no shard reaches the track first/,
    },
    {
      given: 'an unknown environment of a freeze',
      from: 'match: { environments: [prod] }',
      to: 'match: { environments: [stag] }',
      says: /^r\.yml:9:\d+ error no environment stag \(did you mean stage\?/,
    },
  ])('reports $given at its place', ({ from, to, says }) => {
    expect(FILE).toContain(from);
    expect(told(FILE.replace(from, to))).toContainEqual(expect.stringMatching(says));
  });

  it('reports a second track whose shards are all in the first', () => {
    const second = FILE.split('\n').slice(1, 7).join('\n').replace('first', 'second');
    expect(told(FILE.replace('freezes:', `${second}\nfreezes:`))).toEqual([
      expect.stringContaining('no shard reaches the track second'),
    ]);
  });

  it.each([
    { version: 'latest', reported: true },
    { version: '0123456', reported: false },
    { version: `latest@sha256:${'a'.repeat(64)}`, reported: false },
  ])('reports a target that can change by itself, $version: $reported', ({ version, reported }) => {
    const [scope] = DECLARED.scopes;
    const found = told(FILE, { ...DECLARED, scopes: [{ ...scope!, version }] });
    expect(found.some((text) => text.includes('neither a commit nor has a digest'))).toBe(reported);
  });
});
