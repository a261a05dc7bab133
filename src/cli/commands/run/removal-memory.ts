import type { KubeClient } from '../../../clients/kube/index.ts';
import { removalsInLease, removalsInProcess } from '../../../manager/index.ts';
import { systemClock } from '../../../runtime/index.ts';
import type { LeasePlace } from '../manager/lease.ts';

const now = (): number => systemClock.now().getTime();

export const processRemovals = () => removalsInProcess(now);

export const leaseRemovals = (client: KubeClient, place: LeasePlace) => removalsInLease(client, place, now);
