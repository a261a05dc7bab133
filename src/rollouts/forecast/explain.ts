import { defined } from '../../base/index.ts';
import { gateOpening, jointOpening, type Opening, type Verdict } from '../../gates/index.ts';
import type { RolloutsDecision } from '../decide/decide-rollouts.ts';
import type { ShardVerdicts } from '../decide/decision.ts';
import { ROLLOUT_GATES } from '../decide/rollout-gates.ts';
import { type ShardRecord, scopeKey } from '../record/record.ts';
import type { ShadowRecord } from '../record/shadow-record.ts';

/** Why a shard runs what it runs: one row for each gate. */
export interface ShardExplanation {
  readonly id: string;
  readonly environment: string;
  readonly upstream: string;
  /** Absent for a shard that left its track while it was held. */
  readonly track?: string;
  readonly wave?: string;
  /** The image that the gates decide about. */
  readonly image: string;
  readonly rows: readonly (Verdict & { readonly opening?: Opening })[];
  /** The comparison of dry runs that holds it, or its own. */
  readonly shadow?: ShadowRecord;
  /** The shard that was compared, where it is another one. */
  readonly shadowOf?: string;
  /** When all gates can be open; absent when they are. */
  readonly opening?: Opening;
}

/** Every shard that does not run what is declared for it, in the order of the decision. */
export function explainShards({ tracks, orphans, record }: RolloutsDecision): ShardExplanation[] {
  return [
    ...tracks.flatMap(({ track, environment, upstream, verdicts }) => {
      const { shards } = record.scopes.get(scopeKey({ environment, upstream })) ?? { shards: new Map() };
      return verdicts.map((shard) => ({
        track,
        ...explained(shard, { environment, upstream }),
        ...heldBy(shard, shards),
      }));
    }),
    ...orphans.map((orphan) => explained(orphan, orphan)),
  ];
}

/** The gate names what it waits on by its digest. */
function heldBy(
  { id, verdicts }: ShardVerdicts,
  shards: ReadonlyMap<string, Pick<ShardRecord, 'shadow'>>,
): Pick<ShardExplanation, 'shadow' | 'shadowOf'> {
  const own = shards.get(id)?.shadow;
  const digest = verdicts.find(({ gate, ok }) => gate === 'shadow' && !ok)?.waitsOn;
  if (digest === undefined || own?.digest === digest) return defined({ shadow: own });
  const [other, found] = shards.entries().find(([, { shadow }]) => shadow?.digest === digest) ?? [];
  return defined({ shadow: found?.shadow, shadowOf: other });
}

function explained(
  { id, wave, image, verdicts }: ShardVerdicts,
  { environment, upstream }: Pick<ShardExplanation, 'environment' | 'upstream'>,
): ShardExplanation {
  const rows = verdicts.map((verdict) =>
    verdict.ok ? verdict : { ...verdict, opening: gateOpening(verdict, image, ROLLOUT_GATES) },
  );
  const opening = jointOpening(rows.flatMap((row) => ('opening' in row ? [row.opening] : [])));
  return {
    ...{ id, environment, upstream, image, rows },
    ...(wave === undefined ? {} : { wave }),
    ...(opening === undefined ? {} : { opening }),
  };
}
