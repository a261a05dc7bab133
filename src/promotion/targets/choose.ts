import { didYouMean, EchelonError } from '../../base/index.ts';
import type { PromotionConfig, Target } from './promotion-file.ts';

interface Choice {
  readonly upstream: string;
  /** Names of targets or environments; empty for all. */
  readonly only: readonly string[];
  readonly except: readonly string[];
}

/** The selected targets of an upstream, in file order. */
export function chooseTargets({ targets }: PromotionConfig, { upstream, only, except }: Choice): readonly Target[] {
  const own = targets.filter((target) => target.upstream === upstream);
  for (const name of [...only, ...except]) requireKnown(name, own);
  const named = (names: readonly string[]) => (target: Target) =>
    names.includes(target.name) || (target.environment !== undefined && names.includes(target.environment));
  const chosen = own.filter((target) => (only.length === 0 || named(only)(target)) && !named(except)(target));
  if (chosen.length > 0) return chosen;
  throw new EchelonError({
    code: 'TARGET_UNKNOWN',
    message: own.length === 0 ? `promotion.yml has no target of ${upstream}` : 'no target matches --only and --except',
    hint: own.length === 0 ? 'add one, or pass another upstream with --upstream' : 'pass other targets or environments',
  });
}

function requireKnown(name: string, targets: readonly Target[]): void {
  const known = targets.flatMap((target) => [
    target.name,
    ...(target.environment === undefined ? [] : [target.environment]),
  ]);
  if (known.includes(name)) return;
  throw new EchelonError({
    code: 'TARGET_UNKNOWN',
    message: `promotion.yml has neither a target nor an environment ${name}`,
    hint: didYouMean(name, known, `use one of: ${[...new Set(known)].join(', ')}`),
  });
}

/** The given upstream, else the first in the file. */
export function chooseUpstream({ upstreams }: PromotionConfig, name: string | undefined): string {
  const names = Object.keys(upstreams);
  const chosen = name ?? names[0] ?? '';
  if (names.includes(chosen)) return chosen;
  throw new EchelonError({
    code: 'UPSTREAM_UNKNOWN',
    message: `promotion.yml has no upstream ${chosen}`,
    hint: didYouMean(chosen, names, `use one of: ${names.join(', ')}`),
  });
}
