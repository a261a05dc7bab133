import { secondTextAfter } from '../engine/instant.ts';
import type { GateName, Verdict } from '../engine/verdict.ts';

/** When something can open: at a time, or after something that nobody knows the time of, or not before both. */
export type Opening = { readonly at: string; readonly after?: string } | { readonly after: string };

const AFTER: Readonly<Record<GateName, string>> = {
  available: 'OCM offers a version that is one',
  blocked: 'the block is taken away',
  'inherited-floor': 'those clusters have been upgraded',
  sector: 'that cluster has been upgraded',
  soak: 'a healthy cluster with this workload runs',
  'version-gate': 'somebody agrees to the gate',
  schedule: 'the schedule is put right',
  mutex: 'the upgrade that holds it is over',
  busy: 'that upgrade is over',
  health: 'the check no longer objects',
};

const AFTER_FAULT: Readonly<Partial<Record<GateName, string>>> = {
  blocked: 'the pattern is put right',
  mutex: 'the limit of the sector is put right',
  busy: 'there is only one upgrade policy',
};

/** When one closed gate can open. */
export function openingOf({ gate, until, fault }: Verdict, version: string): Opening {
  if (until !== undefined) return { at: secondTextAfter(until) };
  const after = (fault === undefined ? undefined : AFTER_FAULT[gate]) ?? AFTER[gate];
  return { after: gate === 'soak' ? `${after} ${version}` : after };
}

/** When all gates can be open at once: not before the latest of their times, and after the first thing that has none. */
export function earliestOf(verdicts: readonly Verdict[], version: string): Opening | undefined {
  const closed = verdicts.filter(({ ok }) => !ok);
  const untimed = closed.find(({ until }) => until === undefined);
  const timed = closed.filter(({ until }) => until !== undefined).sort((a, b) => (a.until ?? 0) - (b.until ?? 0));
  const openings = [timed.at(-1), untimed].flatMap((verdict) =>
    verdict === undefined ? [] : [openingOf(verdict, version)],
  );
  const [first, second] = openings;
  return first === undefined ? undefined : { ...first, ...second };
}

/** `2026-03-02T13:00:00Z`, or `after that cluster has been upgraded`. */
export function openingText(opening: Opening): string {
  const parts = [
    ...('at' in opening ? [opening.at] : []),
    ...(opening.after === undefined ? [] : [`after ${opening.after}`]),
  ];
  return parts.join(', and ');
}
