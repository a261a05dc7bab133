import { byText } from '../../base/index.ts';
import type { Integration } from '../../instance/index.ts';
import type { Part } from './parts.ts';
import { EXCLUDE } from './shard-flags.ts';
import { type Unit, unitKey } from './shard-uses.ts';

/** Options that limit a run to its part. Per strategy they either select or exclude, never both. */
export function argumentsFor({ only, without, all }: Part, integration: Integration): string[] {
  if (only !== undefined) return byKey(only).flatMap((unit) => option(unit.flag, unit.argument));
  const left = new Set(without.map(unitKey));
  return [...Map.groupBy(byKey(without), ({ flag }) => flag)].flatMap(([flag, units]) => {
    const exclude = excludeFlag(flag, integration);
    if (exclude !== undefined) return units.flatMap(({ argument }) => option(exclude, argument));
    const others = byKey(all).filter((unit) => unit.flag === flag && !left.has(unitKey(unit)));
    return others.flatMap(({ argument }) => option(flag, argument));
  });
}

/** If an integration declares its options without this one, the other shards are selected instead. */
function excludeFlag(flag: string, { capabilities }: Integration): string | undefined {
  const exclude = EXCLUDE[flag];
  if (exclude === undefined || capabilities === undefined) return exclude;
  return capabilities.includes(exclude) ? exclude : undefined;
}

/** A value that looks like an option is joined to its option with `=`. */
function option(flag: string, value: string): string[] {
  return value.startsWith('-') ? [`${flag}=${value}`] : [flag, value];
}

function byKey(units: readonly Unit[]): Unit[] {
  return units.toSorted((a, b) => byText(unitKey(a), unitKey(b)));
}
