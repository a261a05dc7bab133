import { describe, expect, it } from 'vitest';
import { breachFor, breachText, type CountedObject, consentHint, guardBreaches } from './guard.ts';

/** So many objects that stay, go now, or went within the last hour. */
function objects(place: Omit<CountedObject, 'goes'>, stay: number, now: number, before = 0): CountedObject[] {
  return [
    ...Array.from({ length: stay }, () => place),
    ...Array.from({ length: now }, () => ({ ...place, goes: 'now' as const })),
    ...Array.from({ length: before }, () => ({ ...place, goes: 'before' as const })),
  ];
}

const C = { cluster: 'c' };

describe('S6: the guard', () => {
  it.each([
    { now: 3, stay: 0, before: 0, breached: false },
    { now: 4, stay: 0, before: 0, breached: true },
    { now: 30, stay: 70, before: 0, breached: false },
    { now: 31, stay: 69, before: 0, breached: true },
    { now: 0, stay: 5, before: 0, breached: false },
    { now: 1, stay: 0, before: 2, breached: false },
    { now: 1, stay: 0, before: 3, breached: true },
    { now: 1, stay: 70, before: 29, breached: false },
    { now: 1, stay: 69, before: 30, breached: true },
    { now: 0, stay: 0, before: 100, breached: false },
  ])('$now going now and $before before, of $stay that stay: breached $breached', (row) => {
    const { now, stay, before, breached } = row;
    expect(guardBreaches(objects(C, stay, now, before)).length > 0).toBe(breached);
  });

  it('counts over the whole plan: three here and three there are too many', () => {
    const twelve = Array.from({ length: 12 }, (_, at) => objects({ cluster: `c${at}` }, 0, 3)).flat();
    expect(guardBreaches([...twelve, { cluster: 'c0' }])).toEqual([
      { scope: 'plan', deletions: 36, recent: 0, objects: 37, allowed: 11 },
    ]);
  });

  it('counts in each environment: a large one does not hide a small one', () => {
    const large = objects({ cluster: 'a', environment: 'prod' }, 100, 0);
    const small = [1, 2].flatMap((at) => objects({ cluster: `s${at}`, environment: 'stage' }, 1, 2));
    const breaches = guardBreaches([...large, ...small]);
    expect(breaches).toEqual([
      { scope: 'environment', environment: 'stage', deletions: 4, recent: 0, objects: 6, allowed: 3 },
    ]);
    expect(breachFor(breaches, { cluster: 's1', environment: 'stage' })).toBe(breaches[0]);
    expect(breachFor(breaches, { cluster: 'a', environment: 'prod' })).toBeUndefined();
    expect(breachFor(breaches, { cluster: 's1' })).toBeUndefined();
  });

  it('counts in each cluster, whatever the others have', () => {
    const breaches = guardBreaches([...objects({ cluster: 'big' }, 100, 0), ...objects(C, 0, 4)]);
    expect(breaches).toEqual([{ scope: 'cluster', cluster: 'c', deletions: 4, recent: 0, objects: 4, allowed: 3 }]);
    expect(breachFor(breaches, { cluster: 'big' })).toBeUndefined();
  });

  it('says which count was exceeded and how to consent', () => {
    const [plan, cluster] = guardBreaches(objects(C, 2, 3, 4));
    expect([plan, cluster].map((breach) => breach && breachText(breach))).toEqual([
      'the whole plan: 7 of 9 objects would be deleted or stopped (4 of them within the last hour); at most 3 are allowed per hour',
      'cluster c: 7 of 9 objects would be deleted or stopped (4 of them within the last hour); at most 3 are allowed per hour',
    ]);
    expect(plan && consentHint(plan)).toMatch(/pass --allow-mass-deletion$/);
    const images = { scope: 'images', imageChanges: 5, allowed: 4 } as const;
    expect(breachText(images)).toBe(
      'the whole plan: the image of 5 objects would change; at most 4 are allowed in one pass',
    );
    expect(consentHint(images)).toMatch(/pass a higher --max-image-changes$/);
  });

  it('may be measured otherwise', () => {
    expect(guardBreaches(objects(C, 0, 4), { alwaysAllowed: 4 })).toEqual([]);
    expect(guardBreaches(objects(C, 0, 4), { maxShare: 1 })).toEqual([]);
    expect(guardBreaches(objects(C, 0, 1), { maxShare: 0, alwaysAllowed: 0 })).toHaveLength(2);
  });
});
