import { describe, expect, it } from 'vitest';
import { defined } from '../../base/index.ts';
import type { UpgradePolicy } from '../policies/org-spec.ts';
import { type LintFacts, lintPolicies } from './findings.ts';

/** `name workloads soak [sector] [mutexes]`; lists with `+`, `-` for nothing. */
function cluster(text: string): LintFacts['clusters'][number] {
  const [name = '', workloads = '', soak = '0', sector = '-', mutexes = '-'] = text.split(' ');
  const policy: UpgradePolicy = {
    workloads: workloads.split('+'),
    soakDays: Number(soak),
    schedule: '* * * * *',
    ...(sector === '-' ? {} : { sector }),
    ...(mutexes === '-' ? {} : { mutexes: mutexes.split('+') }),
  };
  return { name, policy };
}

function lint(clusters: readonly string[], more: Partial<LintFacts> = {}): string[] {
  const facts = { orgId: 'me', sectors: [], inherit: [], publish: [], others: new Map(), ...more };
  return lintPolicies({ ...facts, clusters: clusters.map(cluster) }).map(({ lint: name, cluster: whose, key }) =>
    [name, whose ?? key.replace('sre-capabilities.aus.', '')].join(' '),
  );
}

const PROD_AFTER_STAGE = [
  { name: 'prod', dependencies: ['stage'] },
  { name: 'stage', dependencies: [] },
];

describe('policies that wait for each other', () => {
  it.each([
    { given: 'one goes first', clusters: ['a w 0', 'b w 5'], says: [] },
    { given: 'nobody goes first', clusters: ['a w 1', 'b w 5'], says: ['no-first-cluster soak-days'] },
    { given: 'a single cluster that waits', clusters: ['a w 1'], says: ['no-first-cluster soak-days'] },
    {
      given: 'each workload has a first, but not without the other',
      clusters: ['a v+w 1', 'b v 0', 'c w 0'],
      says: [],
    },
    { given: 'a first through another workload', clusters: ['a v 0', 'b v+w 0', 'c w 3'], says: [] },
    {
      given: 'a later sector goes first',
      clusters: ['p w 0 prod', 's w 2 stage'],
      sectors: PROD_AFTER_STAGE,
      says: ['unreachable-soak p', 'unreachable-soak s'],
    },
    {
      given: 'an earlier sector goes first',
      clusters: ['p w 2 prod', 's w 0 stage', 't w 1 stage'],
      sectors: PROD_AFTER_STAGE,
      says: [],
    },
    {
      given: 'an earlier sector without the workload',
      clusters: ['p w 0 prod', 's v 0 stage'],
      sectors: PROD_AFTER_STAGE,
      says: [],
    },
    {
      given: 'a sector without clusters in between',
      clusters: ['p w 0 prod', 's w 2 stage'],
      sectors: [
        { name: 'prod', dependencies: ['between'] },
        { name: 'between', dependencies: ['stage'] },
        { name: 'stage', dependencies: [] },
      ],
      says: ['unreachable-soak p', 'unreachable-soak s'],
    },
    { given: 'soak that may be inherited', clusters: ['a w 1'], inherit: ['other'], says: [] },
  ])('$given: $says', ({ clusters, says, sectors = [], inherit = [] }) => {
    expect(lint(clusters, { sectors, inherit })).toEqual(says);
  });
});

describe('a limit without a shared mutex', () => {
  const sectors = [{ name: 's', dependencies: [], maxParallelUpgrades: '1' }];
  it.each([
    {
      given: 'none at all',
      clusters: ['a w 0 s', 'b w 0 s'],
      says: ['limit-without-mutex sector-max-parallel-upgrades.s'],
    },
    {
      given: 'one each',
      clusters: ['a w 0 s m', 'b w 0 s n'],
      says: ['limit-without-mutex sector-max-parallel-upgrades.s'],
    },
    { given: 'one shared', clusters: ['a w 0 s m', 'b w 0 s n+m'], says: [] },
    {
      given: 'one shared with another sector',
      clusters: ['a w 0 s m', 'b w 0 s', 'c w 0 t m'],
      says: ['limit-without-mutex sector-max-parallel-upgrades.s'],
    },
    {
      given: 'one named twice',
      clusters: ['a w 0 s m+m', 'b w 0 s'],
      says: ['limit-without-mutex sector-max-parallel-upgrades.s'],
    },
    { given: 'a single cluster', clusters: ['a w 0 s'], says: [] },
  ])('$given', ({ clusters, says }) => {
    expect(lint(clusters, { sectors })).toEqual(says);
  });
});

describe('publish and inherit', () => {
  it.each([
    { given: 'both sides', other: { inherit: ['me'], publish: ['me'] }, says: [] },
    {
      given: 'no publish there',
      other: { inherit: ['me'], publish: [] },
      says: ['inherit-not-published version-data.inherit'],
    },
    {
      given: 'no inherit there',
      other: { inherit: ['you'], publish: ['me'] },
      says: ['publish-not-inherited version-data.publish'],
    },
    { given: 'an organization that cannot be seen', other: undefined, says: [] },
  ])('$given', ({ other, says }) => {
    const others: LintFacts['others'] = new Map(other === undefined ? [] : [['o', other]]);
    expect(lint([], { inherit: ['o'], publish: ['o'], others })).toEqual(says);
  });
});

describe('organizations that are inherited from', () => {
  const [served, seen] = ['inherit-not-served version-data.inherit', 'inherit-not-visible version-data.inherit'];
  it.each([
    { given: 'named, and seen', names: ['o'], sees: ['o'], says: [] },
    { given: 'not named', names: ['me'], sees: ['o'], says: [served] },
    { given: 'not seen', names: ['o'], sees: [], says: [seen] },
    { given: 'neither named nor seen', names: [], sees: [], says: [served, seen] },
    { given: 'anything, without a configuration', names: undefined, sees: [], says: [] },
  ])('$given', ({ names, sees, says }) => {
    const others: LintFacts['others'] = new Map(sees.map((id) => [id, { inherit: [], publish: ['me'] }]));
    const isServed = names === undefined ? undefined : (id: string) => names.includes(id);
    expect(lint([], { inherit: ['me', 'o'], others, ...defined({ isServed }) })).toEqual(says);
  });
});

describe('a mutex that is never free', () => {
  const holder = (cluster: string, mutexes: string, sector?: string) => ({
    ...{ cluster, mutexes: mutexes.split('+'), reason: 'it is held', hint: 'let it go' },
    ...defined({ sector }),
  });
  const limited = (maxParallelUpgrades: string) => [{ name: 's', dependencies: [], maxParallelUpgrades }];

  it.each([
    { given: 'nobody else has it', clusters: ['a w 0 - m', 'b w 0 - n'], endless: [holder('a', 'm')], says: [] },
    {
      given: 'another one has it',
      clusters: ['a w 0 - m+n', 'b w 0 - m'],
      endless: [holder('a', 'm+n')],
      says: ['mutex-never-free a'],
    },
    {
      given: 'the holder has no policy that can be read',
      clusters: ['b w 0 - m', 'c w 0 - m'],
      endless: [holder('a', 'm')],
      says: ['mutex-never-free a'],
    },
    {
      given: 'the sector has room beside it',
      clusters: ['a w 0 s m', 'b w 0 s m'],
      sectors: limited('2'),
      endless: [holder('a', 'm', 's')],
      says: [],
    },
    {
      given: 'the sector has no room beside it',
      clusters: ['a w 0 s m', 'b w 0 s m', 'c w 0 s m'],
      sectors: limited('50%'),
      endless: [holder('a', 'm', 's'), holder('b', 'm', 's')],
      says: ['mutex-never-free a', 'mutex-never-free b'],
    },
    {
      given: 'it is held outside of a sector with room',
      clusters: ['a w 0 - m', 'b w 0 s m', 'c w 0 s m'],
      sectors: limited('2'),
      endless: [holder('a', 'm')],
      says: ['mutex-never-free a'],
    },
  ])('is told when $given: $says', ({ clusters, endless, says, sectors = [] }) => {
    expect(lint(clusters, { endless, sectors })).toEqual(says);
  });

  it('names what waits for it, and what holds it', () => {
    const clusters = ['a', 'b', 'c', 'd', 'e'].map((name) => cluster(`${name} w 0 - m`));
    const facts = { orgId: 'me', clusters, sectors: [], inherit: [], publish: [], others: new Map() };
    expect(lintPolicies({ ...facts, endless: [holder('a', 'm')] })).toEqual([
      {
        ...{ lint: 'mutex-never-free', cluster: 'a', severity: 'warning', key: 'sre-capabilities.aus.mutexes' },
        message: 'mutex m is never free, and 4 clusters never upgraded (b, c, d, …): it is held',
        hint: 'let it go',
      },
    ]);
  });
});
