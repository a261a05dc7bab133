import { describe, expect, it } from 'vitest';
import type { Instance } from '../../instance/index.ts';
import { pinChangeListing, pinChangeSummary, pinListing } from './pin-listings.ts';
import type { ListedPin } from './pins.ts';

const now = new Date('2026-03-10T00:00:00Z');
const PIN = {
  integration: 'i',
  environment: 'prod',
  cluster: 'c',
  namespace: 'n',
  shard: 's',
  imageRef: 'abc',
  file: '/i.yml',
};
const listing = (row: ListedPin, live = false) =>
  pinListing({ instance: {} as Instance, pins: [row], wrong: false, now }, live);

function cell(row: ListedPin, title: string, live = false): string | undefined {
  const { titles, rows } = listing(row, live).cells('wide');
  return rows[0]?.[titles.indexOf(title)];
}

describe('a pin in the list', () => {
  it.each([
    { since: '2026-01-28T00:00:00Z', age: '41d' },
    { since: '2026-03-09T19:00:00Z', age: '5h' },
    { since: '2026-03-09T23:57:00Z', age: '3m' },
    { since: '2026-03-10T00:05:00Z', age: '0m' },
  ])('set at $since is $age old', ({ since, age }) => {
    expect(cell({ pin: PIN, expired: false, since: new Date(since) }, 'AGE')).toBe(age);
  });

  it('says when it ends, and that it has ended', () => {
    expect(cell({ pin: PIN, expired: false }, 'UNTIL')).toBe('-');
    expect(cell({ pin: { ...PIN, until: '2026-03-01' }, expired: true }, 'UNTIL')).toBe('2026-03-01 (expired)');
  });

  it('has a live state only if that was observed', () => {
    const row = { pin: { ...PIN, line: 7 }, expired: false, live: { obeys: false, text: 'lagging' } };
    expect([cell(row, 'LIVE', true), cell(row, 'LIVE'), cell(row, 'FILE')]).toEqual([
      'lagging',
      undefined,
      'data/i.yml:7',
    ]);
    expect(listing(row).items()).toMatchObject([{ live: { obeys: false, state: 'lagging' } }]);
  });
});

describe('a change of pins', () => {
  const { integration, environment, cluster, namespace, shard } = PIN;
  const own = { integration, environment, cluster, namespace, shard };
  const bytes = new Uint8Array(1);
  const plan = {
    ...{ file: '/i.yml', before: bytes, after: new Uint8Array(2), warnings: [] },
    changes: [
      { ...own, action: 'pin' as const, to: 'abc' },
      { ...own, action: 'keep' as const, from: 'abc' },
    ],
  };

  it('lists every shard', () => {
    expect(pinChangeListing(plan).cells('usual').rows).toEqual([
      ['i', 'prod', 'c/n', 's', 'pin', '-', 'abc'],
      ['i', 'prod', 'c/n', 's', 'keep', 'abc', '-'],
    ]);
  });

  it.each([
    { written: true, text: '1 shard changed in data/i.yml' },
    { written: false, text: '1 shard would change; nothing was written' },
  ])('counts the shards that change: "$text"', ({ written, text }) => {
    expect(pinChangeSummary(plan, written)).toBe(text);
    expect(pinChangeSummary({ ...plan, after: bytes }, written)).toBe('nothing to change');
  });
});
