import { type Gate, type GateList, rowOf } from './gate.ts';
import { secondTextAfter } from './instant.ts';
import type { Verdict } from './verdict.ts';

/** When something can open: at a time, after an event whose time is unknown, or not before both. */
export type Opening = { readonly at: string; readonly after?: string } | { readonly after: string };

/** When one closed gate can open. */
export function gateOpening<Owner extends string>(
  verdict: Verdict<Owner>,
  target: string,
  list: GateList<Pick<Gate<never, never, Owner>, 'opens'>>,
): Opening {
  if (verdict.until !== undefined) return { at: secondTextAfter(verdict.until) };
  return { after: rowOf(list, verdict).opens(verdict, target) };
}

const AND_AFTER = ', and after ';

/** When all can be open at once: not before the latest time, and after every event without a time. */
export function jointOpening(openings: readonly Opening[]): Opening | undefined {
  const times = openings.flatMap((opening) => ('at' in opening ? [opening.at] : [])).sort();
  const causes = [...new Set(openings.flatMap(({ after }) => (after === undefined ? [] : [after])))];
  const at = times.at(-1);
  const after = causes.join(AND_AFTER);
  if (at !== undefined) return { at, ...(after === '' ? {} : { after }) };
  return after === '' ? undefined : { after };
}

/** `2026-03-02T13:00:00Z`, or `after canary-1 runs 4.18.3 or a newer version`. */
export function openingText(opening: Opening): string {
  const parts = [
    ...('at' in opening ? [opening.at] : []),
    ...(opening.after === undefined ? [] : [`after ${opening.after}`]),
  ];
  return parts.join(', and ');
}
