import type { ManagerChoices } from '../../../manager/index.ts';
import type { InstanceFlags } from '../../instance.ts';
import type { Format } from '../../output/formats.ts';
import type { ClusterFlags } from './clusters.ts';
import type { RolloutFlags } from './rollout-record.ts';

export interface ManagerFlags extends InstanceFlags, Pick<ManagerChoices, 'environmentName' | 'upstream'> {
  readonly capabilities?: string;
  readonly output: Format;
  readonly color?: boolean;
}

export interface ChartFlags {
  readonly chart?: string;
  readonly helm?: string;
  readonly cache: boolean;
}

/** Flags that affect the desired objects. */
export interface DesiredFlags
  extends ManagerFlags,
    ChartFlags,
    Pick<ManagerChoices, 'image' | 'imageTagFromRef' | 'parameter' | 'integration'> {
  readonly upstreamClone?: string;
}

export interface FleetFlags
  extends DesiredFlags,
    ClusterFlags,
    RolloutFlags,
    Pick<
      ManagerChoices,
      | 'cluster'
      | 'namespace'
      | 'internal'
      | 'adopt'
      | 'recreate'
      | 'forceConflicts'
      | 'adoptTemplates'
      | 'allowMassDeletion'
      | 'maxImageChanges'
      | 'concurrency'
    > {}
