import { MICROS, pass, secondTextAfter, soakedBy, soakOf, wait } from '../../../gates/index.ts';
import { clockDoubt } from '../clock-doubt.ts';
import type { PassContext } from '../context.ts';
import { type Requirements, type SharedGate, type UpgradeVerdict, versionsOnly } from '../upgrade-gate.ts';

const NOT_REQUIRED = pass('soak', 'no soak is required');

/** A version must have soaked as many days as the cluster requires, under each of its workloads. */
export function soakGate({ soakDays, workloads }: Requirements, version: string, context: PassContext): UpgradeVerdict {
  const required = soakDays * MICROS.day;
  if (required <= 0 && workloads.every((workload) => soakOf(context.soak, version, workload) >= 0)) return NOT_REQUIRED;
  const { workload, micros } = furthest(version, workloads, required, context);
  const progress = `${workload} has soaked ${daysText(micros)} of ${soakDays} days`;
  if (micros >= required) return pass('soak', progress);
  const until = soakedBy(version, workloads, required, context);
  const doubt = clockDoubt(context.soak, context.now);
  const reason = doubt === undefined ? progress : `${progress}, and none before ${secondTextAfter(doubt.countsFrom)}`;
  return wait('soak', reason, until === undefined ? { waitsOn: workload } : { waitsOn: workload, until });
}

/** The workload that has soaked least; one that no cluster runs comes first, since soaking depends on it. */
function furthest(version: string, workloads: readonly string[], required: number, context: PassContext) {
  let least = { workload: workloads[0] ?? '', micros: Number.POSITIVE_INFINITY, stands: false };
  for (const workload of workloads) {
    const micros = soakOf(context.soak, version, workload);
    const stands = micros < required && context.soaking(version, workload) === 0;
    if (stands === least.stands ? micros < least.micros : stands) least = { workload, micros, stands };
  }
  return least;
}

/** Two decimals, rounded down: too little must not read as enough. */
function daysText(micros: number): string {
  return String(Math.floor((micros / MICROS.day) * 100) / 100);
}

export const soakRow: SharedGate = {
  name: 'soak',
  awaited: 'for soak',
  stage: 'version',
  influences: ['soak'],
  shared: true,
  concerns: versionsOnly,
  evidence: true,
  judge: ({ policy, version }, context) => soakGate(policy, version, context),
  opens: ({ waitsOn }, version) => `a healthy cluster with the workload ${waitsOn} runs ${version}`,
  forecastOpening: ({ cluster: { policy }, version }, outlook) =>
    soakedBy(version, policy.workloads, policy.soakDays * MICROS.day, outlook),
};
