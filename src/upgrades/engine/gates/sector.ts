import { pass, wait } from '../../../gates/index.ts';
import type { PassContext } from '../context.ts';
import { type Requirements, type SharedGate, type UpgradeVerdict, versionsOnly } from '../upgrade-gate.ts';
import { compareVersions, type Version } from '../versions.ts';

const NO_SECTOR = pass('sector', 'the cluster has no sector');
const OPEN = pass('sector', 'every dependency runs it or a later one');

/** A version may be taken only after every dependency sector that runs the workload is on it or past it. */
export function sectorGate(
  { sector, workloads }: Requirements,
  version: Version,
  { sectorFloor }: PassContext,
): UpgradeVerdict {
  if (!sector) return NO_SECTOR;
  for (const workload of workloads) {
    const behind = sectorFloor(sector, workload);
    if (behind === undefined || compareVersions(behind.version, version) >= 0) continue;
    const { name, version: its } = behind;
    return wait('sector', `sector ${behind.sector} still has ${name} on ${its}, with ${workload}`, { waitsOn: name });
  }
  return OPEN;
}

export const sectorRow: SharedGate = {
  name: 'sector',
  awaited: 'for an earlier sector',
  stage: 'version',
  influences: ['sectors'],
  shared: true,
  concerns: versionsOnly,
  judge: ({ policy, version }, context) => sectorGate(policy, version, context),
  opens: ({ waitsOn = 'the sector before it' }, version) => `${waitsOn} runs ${version} or a newer version`,
};
