import type { DesiredNamespace } from '../desired/desired-namespace.ts';
import { firstImage } from '../desired/identity.ts';
import { placeOf } from '../plan/places.ts';
import { firstOf, type ImageWrite, type SavedPlan, stalePlan } from '../plan/saved-plan.ts';
import { type Choices, choiceKey } from './choices.ts';

/** What rollouts decide when a saved plan is about to be applied; none where they are not in use. */
interface DecidedNow {
  readonly version?: string;
  readonly choices: Choices;
  readonly namespaces: readonly DesiredNamespace[];
}

/**
 * A saved plan is applied only to what its rollouts were decided on: another version of the record, or an image that the
 * decision of now does not give a workload, makes it stale (A4). Throws an EchelonError. Pure.
 */
export function refuseMoves(
  file: string,
  saved: SavedPlan,
  writes: readonly ImageWrite[],
  { version, choices, namespaces }: DecidedNow,
): void {
  const decidedOn = saved.rolloutRecord ?? 'absent';
  const current = version ?? 'absent';
  const declared = new Map(
    namespaces.flatMap(({ cluster, namespace, objects }) =>
      objects.map((object) => [
        choiceKey({ cluster, namespace, kind: object.kind, name: object.metadata.name }),
        firstImage(object),
      ]),
    ),
  );
  const refused = writes.flatMap(({ item, image }) => {
    const choice = choices.get(choiceKey(item));
    const given = choice === undefined ? declared.get(choiceKey(item)) : undefined;
    if (given === image || (choice?.kind === 'write' && choice.image === image)) return [];
    const why = choice?.reason ?? (given === undefined ? 'it is not declared now' : `${given} is declared now`);
    return [`${placeOf(item)} ${item.kind} ${item.name} does not get ${image} now: ${why}`];
  });
  if (refused.length > 0) throw stalePlan(file, saved, firstOf(refused, '; '), HINT);
  if (decidedOn !== current) throw stalePlan(file, saved, 'the record of rollouts changed since then', HINT);
}

const HINT = 'create a new plan with: echelon manager plan --save FILE, and pass the same flags to apply';
