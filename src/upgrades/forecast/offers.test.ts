import { describe, expect, it } from 'vitest';
import { defined } from '../../base/index.ts';
import { type Instant, parseInstant } from '../../gates/index.ts';
import type { ClusterState } from '../engine/facts.ts';
import type { Version } from '../engine/versions.ts';
import { Offers } from './offers.ts';

const NOW = parseInstant('2026-03-02T10:00:00Z') as Instant;
const LATER = parseInstant('2026-03-05T00:00:00Z') as Instant;

function seen(version: string, availableUpgrades: string[], channel = 'stable-4.18'): ClusterState {
  return { version, channel, hosted: false, availableUpgrades, availableChannels: [] } as unknown as ClusterState;
}

function place(version: string, channel = 'stable-4.18') {
  return { version: version as Version, channel, hosted: false };
}

describe('offers', () => {
  it.each([
    {
      given: 'another cluster there',
      known: [seen('4.18.2', ['4.18.9'])],
      former: ['4.18.2', '4.18.3'],
      offered: ['4.18.9'],
    },
    { given: 'nobody there', known: [], former: ['4.18.1', '4.18.2', '4.18.3'], offered: ['4.18.3'] },
    {
      given: 'one in its channel',
      known: [seen('4.18.0', ['4.18.4'])],
      former: ['4.18.3'],
      offered: ['4.18.3', '4.18.4'],
    },
    { given: 'one in another channel', known: [seen('4.18.2', ['4.19.1'], 'fast-4.19')], former: [], offered: [] },
    { given: 'what is two minors up', known: [], former: ['4.20.0', '4.19.0'], offered: ['4.19.0'] },
  ])('with $given a cluster that came to 4.18.2 is offered $offered', ({ known, former, offered }) => {
    expect(new Offers(known).upgrades(place('4.18.2'), former, NOW)).toEqual(offered);
  });

  it.each([
    { channel: 'stable-4.18', channels: undefined, offered: true },
    { channel: 'stable-4.17', channels: undefined, offered: false },
    { channel: 'stable-4.18', channels: ['fast-4.18'], offered: false },
    { channel: 'fast-4.18', channels: ['fast-4.18'], offered: true },
    { channel: 'stable-4.18', channels: ['stable'], offered: true },
    { channel: 'stable-4.17', channels: ['stable'], offered: false },
    { channel: 'fast-4.18', channels: ['stable'], offered: false },
  ])(
    'a release of $channels is offered in $channel: $offered, and not before its time',
    ({ channel, channels, offered }) => {
      const release = { version: '4.18.9' as Version, at: LATER, ...defined({ channels }) };
      const offers = new Offers([], [release]);
      expect(offers.upgrades(place('4.18.2', channel), [], LATER)).toEqual(offered ? ['4.18.9'] : []);
      expect(offers.upgrades(place('4.18.2', channel), [], NOW)).toEqual([]);
      expect([...offers.releaseTimes()]).toEqual([LATER]);
    },
  );
});
