/** When the clock of the fleet stands still. */
export const GROWTH_START = new Date('2026-03-02T06:00:00Z');

/** A policy as labels under their short names. */
export function growthPolicy(workload: string, soak: number, sector: string): Record<string, string> {
  return {
    schedule: '0 3 1 1 *',
    workloads: workload,
    'soak-days': String(soak),
    sector,
    mutexes: `mutex-${sector}`,
  };
}
