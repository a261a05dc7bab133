import { count, defined, EchelonError, mapLimited } from '../../base/index.ts';
import { openShadow, type ShadowReport, type ShadowShard } from '../../shadow/index.ts';
import { type ImageMove, imageMoves } from '../pr-check/image-moves.ts';
import type { ShadowChecks, WorkloadReport } from '../pr-check/report.ts';
import { workloadKey } from '../pr-check/workloads.ts';
import type { PrCheckPorts } from './check-ports.ts';
import type { PrCheckRequest, ShadowsRequest } from './check-requests.ts';
import type { LoadedSides } from './sides.ts';

interface ShadowInput extends Pick<LoadedSides, 'head'>, Pick<WorkloadReport, 'difference'> {
  readonly scratch: string;
}

/** Compares the images that a change introduces with those at its base, on the data of its head. */
export async function runShadows(
  ports: PrCheckPorts,
  { capabilities }: PrCheckRequest,
  request: ShadowsRequest,
  { head, difference, scratch }: ShadowInput,
): Promise<ShadowChecks> {
  const { moves, left } = imageMoves(difference.changes, request.most);
  const notes = left === 0 ? [] : [`${count(left, 'more shard')} with another image not compared: raise --max-shadows`];
  if (moves.length === 0) return { reports: [], notes };
  const runner = ports.shadowRunner(head, scratch);
  const jobs = Math.max(1, Math.floor(request.jobs / moves.length));
  const compared = await mapLimited(
    moves,
    request.jobs,
    (move, _, signal): Promise<ShadowReport | string> => {
      const shadow = openShadow(
        { id: ports.shadowId, ...defined({ capabilities }) },
        {
          ...{ instance: head.instance, runner, signal, dataChanged: async () => undefined },
          runningImages: async () => (shard) => imageAtBase(move, shard),
        },
      );
      const { integration, candidate } = move;
      const only = (shard: ShadowShard): boolean => imageAtBase(move, shard) !== undefined;
      const asked = { integration, candidate, only, repeat: 0, jobs, timeout: request.timeout };
      return shadow.compare({ ...asked, onResult: () => undefined }).catch(refusal);
    },
    ports.signal,
  );
  return {
    reports: compared.filter((one) => typeof one !== 'string'),
    notes: [...compared.filter((one) => typeof one === 'string'), ...notes],
  };
}

function imageAtBase({ from }: ImageMove, { cluster, namespace, kind, object }: ShadowShard) {
  const image = from.get(workloadKey(cluster, namespace, kind, object));
  return image === undefined ? undefined : { image };
}

/** An integration that must not be run, or rules that cannot be read, keep nothing else from being compared. */
function refusal(thrown: unknown): string {
  if (thrown instanceof EchelonError) return thrown.message;
  throw thrown;
}
