import { describe, expect, it } from 'vitest';
import type { ClusterState } from './facts.ts';
import { nextChannel, offeredChannel } from './y-stream.ts';

describe('the next channel', () => {
  it.each([
    { channel: 'stable-4.14', next: 'stable-4.15' },
    { channel: 'fast-4.9', next: 'fast-4.10' },
    { channel: 'eus-4.14', next: 'eus-4.16' },
    { channel: 'eus-4.13', next: 'eus-4.14' },
    { channel: 'a-b-4.1', next: 'a-b-4.2' },
    { channel: 'stable', next: undefined },
    { channel: '4.20', next: undefined },
    { channel: 'stable-4.x', next: undefined },
    { channel: '', next: undefined },
  ])('of "$channel" is $next', ({ channel, next }) => {
    expect(nextChannel(channel)).toBe(next);
  });

  it.each([
    { offered: ['stable-4.14', 'stable-4.15'], to: 'stable-4.15' },
    { offered: ['stable-4.14', 'eus-4.16'], to: undefined },
    { offered: [], to: undefined },
  ])('with $offered offered is $to', ({ offered, to }) => {
    expect(offeredChannel({ channel: 'stable-4.14', availableChannels: offered } as unknown as ClusterState)).toBe(to);
  });
});
