import { describe, expect, it } from 'vitest';
import { type Instant, instantOf, parseInstant } from '../../gates/index.ts';
import type { ClusterExplanation, PlannedOrganization } from '../../upgrades/index.ts';
import type { UpgradesData } from '../state.ts';
import { endedFreezes } from './ended-freezes.ts';
import { upgradeProblems } from './upgrade-problems.ts';

type Gates = ClusterExplanation['candidates'][number]['gates'];
const BLOCK: Gates[number] = { gate: 'blocked', state: 'wait', reason: 'the block "x" of the organization matches' };
const OPEN: Gates[number] = { gate: 'blocked', state: 'pass', reason: 'no block matches' };
const SOAK: Gates[number] = { gate: 'soak', state: 'wait', reason: 'soaks' };

function cluster(name: string, ...gates: readonly Gates[]): ClusterExplanation {
  return {
    ...{ environment: 'prod', orgId: 'o', organization: 'org', id: name, uuid: name, name, action: 'wait' },
    candidates: gates.map((own, index) => ({ version: `4.18.${9 - index}`, gates: own, chosen: false })),
  } as unknown as ClusterExplanation;
}

function told(more: Partial<UpgradesData>): string[] {
  const data = { plan: { environments: [], organizations: [] }, clusters: [], notes: [], ...more };
  return upgradeProblems(data as unknown as UpgradesData).map(
    ({ severity, where, message }) => `${severity} ${where}: ${message}`,
  );
}

describe('versions that are blocked', () => {
  it.each([
    { given: 'all of them', clusters: [cluster('a', [BLOCK, SOAK], [BLOCK]), cluster('b', [BLOCK])], of: '2 clusters' },
    { given: 'all but an older one', clusters: [cluster('a', [BLOCK], [OPEN, SOAK])], of: undefined },
    { given: 'all but a newer one', clusters: [cluster('a', [OPEN], [BLOCK])], of: undefined },
    { given: 'none, since there is none', clusters: [cluster('a')], of: undefined },
  ])('are a problem only where they are all that is newer: $given', ({ clusters, of }) => {
    const problem = `warning prod/org: every version up to 4.18.9 is blocked for ${of}: the block "x" of the organization matches`;
    expect(told({ clusters })).toEqual(of === undefined ? [] : [problem]);
  });
});

describe('freezes', () => {
  const at = (text: string): Instant => parseInstant(text) ?? instantOf(0);
  const organization = (...freezes: readonly string[]) =>
    ({
      environment: 'prod',
      name: 'org',
      facts: { freezes, clusters: [{ policy: { freezes: [freezes[0]] } }] },
    }) as unknown as PlannedOrganization;
  const [OLD, OLDER, BAD] = [
    '2026-01-01T00:00:00Z/2026-01-03T00:00:00Z=new year',
    '2025-01-01T00:00:00Z/2025-01-03T00:00:00Z',
    'whenever',
  ];

  it.each([
    { now: '2026-01-02T23:59:59Z', freezes: [OLD], problems: [] },
    {
      now: '2026-01-03T00:00:00Z',
      freezes: [OLD],
      problems: ['warning prod/org: a freeze (new year) is over and still declared'],
    },
    {
      now: '2026-02-01T00:00:00Z',
      freezes: [OLD, OLDER, BAD],
      problems: ['warning prod/org: a freeze and 1 other are over and still declared'],
    },
  ])('that are over at $now are a problem since their end: $problems', ({ now, freezes, problems }) => {
    const ended = endedFreezes([organization(...freezes)], at(now));
    expect(told({ endedFreezes: ended })).toEqual(problems);
    const [first] = ended;
    if (first !== undefined)
      expect(first.until).toBe(at(freezes.length === 1 ? '2026-01-03T00:00:00Z' : '2025-01-03T00:00:00Z'));
  });
});
