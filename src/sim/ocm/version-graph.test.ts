import { describe, expect, it } from 'vitest';
import { channelParts, minorOf, type Release, VersionGraph } from './version-graph.ts';

const release = (version: string, groups: Record<string, number>, more: Partial<Release> = {}): Release => ({
  version,
  groups,
  hosted: true,
  rosa: true,
  notFrom: [],
  ...more,
});

const everywhere = { stable: 0, candidate: 0, eus: 0 };
const graph = new VersionGraph([
  release('4.18.10', everywhere),
  release('4.18.2', everywhere),
  release('4.18.3', everywhere, { hosted: false }),
  release('4.18.4', everywhere, { notFrom: ['4.18.2'] }),
  release('4.18.5', everywhere, { withdrawnAt: 50 }),
  release('4.18.11', { stable: 100, candidate: 20 }),
  release('4.19.0-rc.1', { candidate: 0 }),
  release('4.19.1', { stable: 100, candidate: 30 }),
  release('4.20.1', { stable: 200, eus: 200 }),
]);

describe('the upgrades that a cluster is offered', () => {
  it.each([
    { version: '4.18.2', channel: 'stable-4.18', at: 60, upgrades: ['4.18.3', '4.18.10'] },
    { version: '4.18.2', channel: 'stable-4.18', at: 40, upgrades: ['4.18.3', '4.18.5', '4.18.10'] },
    { version: '4.18.3', channel: 'stable-4.18', at: 60, upgrades: ['4.18.4', '4.18.10'] },
    { version: '4.18.10', channel: 'stable-4.18', at: 60, upgrades: [] },
    { version: '4.18.10', channel: 'stable-4.18', at: 100, upgrades: ['4.18.11'] },
    { version: '4.18.10', channel: 'candidate-4.18', at: 60, upgrades: ['4.18.11'] },
    { version: '4.18.10', channel: 'stable-4.19', at: 100, upgrades: ['4.18.11', '4.19.1'] },
    { version: '4.18.10', channel: 'candidate-4.19', at: 60, upgrades: ['4.18.11', '4.19.0-rc.1', '4.19.1'] },
    { version: '4.18.10', channel: 'stable-4.20', at: 300, upgrades: ['4.18.11', '4.19.1'] },
    { version: '4.19.1', channel: 'stable-4.20', at: 300, upgrades: ['4.20.1'] },
    { version: '4.18.10', channel: 'nightly-4.18', at: 300, upgrades: [] },
  ])('on $version in $channel at $at are $upgrades', ({ version, channel, at, upgrades }) => {
    expect(graph.upgrades(version, channel, at, false)).toEqual(upgrades);
  });

  it('leave out what hosted control planes cannot run', () => {
    expect(graph.upgrades('4.18.2', 'stable-4.18', 60, true)).toEqual(['4.18.10']);
  });
});

describe('the channels that a cluster may use', () => {
  it.each([
    { version: '4.18.10', at: 60, channels: ['candidate-4.18', 'candidate-4.19', 'eus-4.18', 'stable-4.18'] },
    {
      version: '4.18.10',
      at: 100,
      channels: ['candidate-4.18', 'candidate-4.19', 'eus-4.18', 'stable-4.18', 'stable-4.19'],
    },
    { version: '4.19.1', at: 200, channels: ['candidate-4.19', 'eus-4.20', 'stable-4.19', 'stable-4.20'] },
    {
      version: '4.18.10',
      at: 200,
      channels: ['candidate-4.18', 'candidate-4.19', 'eus-4.18', 'eus-4.20', 'stable-4.18', 'stable-4.19'],
    },
  ])('on $version at $at are $channels', ({ version, at, channels }) => {
    expect(graph.channels(version, at)).toEqual(channels);
  });
});

it('a release that is added is offered from its date on', () => {
  const own = new VersionGraph(graph.releases);
  expect(own.upgrades('4.18.11', 'stable-4.18', 300, false)).toEqual([]);
  own.add(release('4.18.12', { stable: 250 }));
  expect(own.upgrades('4.18.11', 'stable-4.18', 300, false)).toEqual(['4.18.12']);
  expect(own.upgrades('4.18.11', 'stable-4.18', 249, false)).toEqual([]);
});

it.each([
  { channel: 'stable-4.18', group: 'stable', minor: '4.18' },
  { channel: 'fast', group: '', minor: 'fast' },
])('$channel is group "$group" and minor $minor', ({ channel, ...parts }) => {
  expect(channelParts(channel)).toEqual(parts);
});

it.each([
  ['4.18.9', '4.18'],
  ['4.19.0-rc.1', '4.19'],
])('the minor of %s is %s', (version, minor) => {
  expect(minorOf(version)).toBe(minor);
});
