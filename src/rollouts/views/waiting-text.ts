import { count } from '../../base/index.ts';
import type { RolloutsDecision, ScopeTrack } from '../decide/decide-rollouts.ts';
import { versionText } from './rollout-view.ts';

/** What `--watch` waits for: tracks that go on by themselves; undefined when there are none. */
export function waitingText({ tracks }: Pick<RolloutsDecision, 'tracks'>): string | undefined {
  const left = tracks.filter(goesOn);
  if (left.length === 0) return undefined;
  const each = left.map(({ track, target, waves }) => {
    const sum = (of: 'onTarget' | 'counting'): number => waves.reduce((total, wave) => total + wave[of], 0);
    return `${track}: ${sum('onTarget')} of ${count(sum('counting'), 'shard')} on ${versionText(target)}`;
  });
  return `waiting for ${each.join('; ')}`;
}

/** One that is halted goes on until its shards are taken back. */
function goesOn({ state, moves, returns }: ScopeTrack): boolean {
  return state === 'under-way' || moves.length + returns.length > 0;
}
