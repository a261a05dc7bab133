import { secondTextAfter } from '../../gates/index.ts';
import type { GateName, Verdict } from '../engine/verdict.ts';
import { isVersion, minorOf } from '../engine/versions.ts';

/** When something can open: at a time, or after something that nobody knows the time of, or not before both. */
export type Opening = { readonly at: string; readonly after?: string } | { readonly after: string };

/** What has to happen, so that whoever reads nothing else knows what to look at or whom to ask. */
const AFTER: Readonly<Record<GateName, (on: string | undefined, version: string) => string>> = {
  available: () => 'OCM offers a proper version instead',
  blocked: (on) => `the ${on ?? 'block'} is taken away`,
  'inherited-floor': (_, version) =>
    `all clusters of the organizations that its history comes from run ${version} or a newer version`,
  sector: (on, version) => `${on ?? 'the sector before it'} runs ${version} or a newer version`,
  soak: (on, version) => `a healthy cluster with the workload ${on} runs ${version}`,
  'version-gate': (on, version) => `somebody agrees to ${on ?? 'the gate'} for ${minorText(version)}`,
  schedule: () => 'its schedule is put right',
  mutex: (on) => (on === undefined ? 'its own upgrade is over' : `${upgradesOf(on)} is over`),
  busy: (on) => `its upgrade to ${on} is over`,
  health: () => 'its health check no longer objects',
};

const AFTER_FAULT: Readonly<Partial<Record<GateName, string>>> = {
  blocked: 'that pattern is put right',
  mutex: 'the limit of its sector is put right',
  busy: 'it has only one upgrade policy',
};

/** When one closed gate can open. */
export function openingOf({ gate, until, fault, waitsOn }: Verdict, version: string): Opening {
  if (until !== undefined) return { at: secondTextAfter(until) };
  return { after: (fault === undefined ? undefined : AFTER_FAULT[gate]) ?? AFTER[gate](waitsOn, version) };
}

/** When all gates can be open at once: not before the latest of their times, and after everything that has none. */
export function earliestOf(verdicts: readonly Verdict[], version: string): Opening | undefined {
  const openings = closedIn(verdicts).map((verdict) => openingOf(verdict, version));
  const times = openings.flatMap((opening) => ('at' in opening ? [opening.at] : [])).sort();
  const causes = [...new Set(openings.flatMap(({ after }) => (after === undefined ? [] : [after])))];
  const at = times.at(-1);
  const after = causes.join(AND_AFTER);
  if (at !== undefined) return { at, ...(after === '' ? {} : { after }) };
  return after === '' ? undefined : { after };
}

const AND_AFTER = ', and after ';

/** A cluster that is busy holds its own mutexes; that is told once. */
function closedIn(verdicts: readonly Verdict[]): Verdict[] {
  const closed = verdicts.filter(({ ok }) => !ok);
  const isBusy = closed.some(({ gate, fault }) => gate === 'busy' && fault === undefined);
  return closed.filter(({ gate, waitsOn, fault }) => gate !== 'mutex' || waitsOn !== undefined || !!fault || !isBusy);
}

/** `2026-03-02T13:00:00Z`, or `after canary-1 runs 4.18.3 or a newer version`. */
export function openingText(opening: Opening): string {
  const parts = [
    ...('at' in opening ? [opening.at] : []),
    ...(opening.after === undefined ? [] : [`after ${opening.after}`]),
  ];
  return parts.join(', and ');
}

function upgradesOf(names: string): string {
  return names.includes(', ') ? `one of the upgrades of ${names}` : `the upgrade of ${names}`;
}

function minorText(version: string): string {
  return isVersion(version) ? minorOf(version) : version;
}
