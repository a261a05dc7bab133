import { memoize } from '../../base/index.ts';
import type { ClusterState } from './facts.ts';

const Y_STREAM = /^(.+)-(\d+)\.(\d+)$/;

/** The channel of the next minor, or for `eus` of the next even one; undefined for a channel without a minor. */
export const nextChannel = memoize(1_000, (channel): string | undefined => {
  const [, prefix, major, minor] = Y_STREAM.exec(channel) ?? [];
  if (minor === undefined) return undefined;
  const step = prefix === 'eus' && Number(minor) % 2 === 0 ? 2 : 1;
  return `${prefix}-${major}.${Number(minor) + step}`;
});

/** The channel to switch to, where the cluster's version offers it. */
export function offeredChannel({ channel, availableChannels }: ClusterState): string | undefined {
  const next = nextChannel(channel);
  return next !== undefined && availableChannels.includes(next) ? next : undefined;
}
