import { EchelonError } from '../../../base/index.ts';
import { isForgeConfigured } from '../../../clients/forge/index.ts';
import { lineChanges } from '../../../clients/git/index.ts';
import type { PlanClock } from '../../../clients/ocm/index.ts';
import { type Observe, type ShardsData, shardsData } from '../../../console/index.ts';
import { targetOf } from '../../../manager/index.ts';
import { knownDistances, type ListedVersion, listVersions } from '../../../promotion/index.ts';
import type { Io, Output } from '../../io.ts';
import type { FleetFlags } from '../manager/flags.ts';
import { withManager } from '../manager/open.ts';
import { pinsOf } from '../pins/pin-ports.ts';
import { promotionPorts } from '../promote/promotion-ports.ts';

/** No progress output: no user waits for an observation. */
const SILENT: Output = { isTTY: false, write: () => undefined };

const CONFIGURE = 'pass a data repository, a bundle or a qontract-server with --data; see docs/guide/operating.md';

/** Observes the instance and the clusters that its integrations run on. The transport refuses every write. */
export function shardsSource(io: Io, flags: FleetFlags, clock: PlanClock): Observe<ShardsData> {
  const known = knownDistances();
  return async (signal, early) => {
    const quiet: Io = { ...io, signal, stdout: SILENT, stderr: SILENT, now: () => clock.now() };
    try {
      const fleet = await withManager(quiet, flags, { readOnly: true }, ({ during }) =>
        during((manager) => manager.status()),
      );
      if (fleet.groups.length === 0)
        return { kind: 'absent', message: 'The instance has no integration to operate.', hint: CONFIGURE };
      const { pins } = await pinsOf(async () => fleet.instance, { now: () => clock.now() }).list({});
      const operated = new Set(fleet.groups.map(({ namespace }) => targetOf(namespace)));
      const data = (versions: readonly ListedVersion[]) => shardsData(fleet, { pins, versions });
      const versions = await listVersions({ ...promotionPorts(quiet), lineChanges }, fleet.instance, {
        ...{ known, clone: flags.upstreamClone, onEarly: (listed) => early(data(listed)) },
        isOperated: ({ namespace }) => operated.has(targetOf(namespace)),
        asksForge: (url) => isForgeConfigured(url, io.env),
      });
      return { kind: 'seen', data: data(versions) };
    } catch (thrown) {
      const nothingNamed = flags.data === undefined && !io.env['ECHELON_DATA'];
      if (!(thrown instanceof EchelonError) || thrown.code !== 'INSTANCE_NOT_FOUND' || !nothingNamed) throw thrown;
      return { kind: 'absent', message: 'No instance is configured.', hint: CONFIGURE };
    }
  };
}
