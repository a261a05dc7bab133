import type { Instant } from '../../gates/index.ts';
import type { RolloutFile, RolloutsDecision } from '../../rollouts/index.ts';
import type { PodDetails } from '../rollout/pod-details.ts';
import type { Scope } from '../rollout/scope-facts.ts';
import type { RolloutInput } from './rollout-observation.ts';
import { shadowOwner } from './shadow-access.ts';
import { type ComparedShard, withRunning } from './with-shadows.ts';

/** Shadows of one pass of rollouts. */
interface PassShadows {
  readonly scopes: readonly Scope[];
  /** Absent for who only reads. */
  readonly compared?: readonly ComparedShard[];
  /** Runs what the decision wants. */
  readonly run?: (decision: RolloutsDecision, now: Instant, mayWrite: () => boolean) => Promise<void>;
}

interface Found {
  readonly scopes: readonly Scope[];
  readonly details: ReadonlyMap<string, PodDetails>;
}

/** What is known of shadows; how they are run and compared is loaded only where a file asks for them. */
export async function passShadows(
  file: RolloutFile,
  { scopes, details }: Found,
  input: RolloutInput,
  mayMove: boolean,
): Promise<PassShadows> {
  if (!hasShadow(file)) return { scopes };
  const access = mayMove ? input.shadows : undefined;
  if (access === undefined) return { scopes: withRunning(scopes, details, shadowOwner(input.fleet)) };
  const { observedShadows } = await import('./observed-shadows.ts');
  const observed = await observedShadows(access, scopes, details, input);
  return {
    scopes: observed.scopes,
    compared: observed.compared,
    run: async (decision, now, mayWrite) => {
      const { runShadows } = await import('./run-shadows.ts');
      await runShadows(access, { decision, observed, input, now, mayWrite });
    },
  };
}

function hasShadow({ tracks }: RolloutFile): boolean {
  return tracks.some(({ shadow, waves }) => shadow !== undefined || waves.some((wave) => wave.shadow !== undefined));
}
