import { defined } from '../../../base/index.ts';
import { checkPolicies, normalizedPolicies, type PolicyJson, policiesShape } from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { document } from '../../output/format.ts';
import { type InputFlags, type ReadStdin, readInput, refuseBeside } from './input.ts';
import { type AusFlags, openAus } from './login.ts';
import { flagInvalid, type WriteFlags, writePlan } from './write-labels.ts';

export interface ApplyPoliciesFlags extends AusFlags, WriteFlags, InputFlags {
  readonly clusterName?: string;
  readonly schedule?: string;
  readonly workload?: readonly string[];
  readonly soakDays: number;
  readonly sector?: string;
  readonly mutex?: readonly string[];
  readonly blockedVersions?: readonly string[];
  readonly freeze?: readonly string[];
  readonly dump?: boolean;
}

/** Applies policies to the labels of clusters. Labels that are not about policies are not touched. */
export async function applyPolicies(io: Io, flags: ApplyPoliciesFlags, stdin: ReadStdin): Promise<number> {
  refuseBeside(flags, {
    ...{ '--cluster-name': flags.clusterName, '--schedule': flags.schedule, '--workload': flags.workload },
    ...{ '--sector': flags.sector, '--mutex': flags.mutex, '--blocked-versions': flags.blockedVersions },
    '--freeze': flags.freeze,
    '--soak-days': flags.soakDays === 0 ? undefined : flags.soakDays,
  });
  const policies = (await readInput(io, flags, policiesShape, stdin)) ?? [policyOfFlags(flags)];
  checkPolicies(policies);
  if (flags.dump === true) {
    io.stdout.write(await document('json', normalizedPolicies(policies)));
    return EXIT.ok;
  }
  const { service } = openAus(io, flags, { readOnly: flags.dryRun === true });
  return writePlan(io, service, await service.planPolicies(policies), flags);
}

function policyOfFlags({ clusterName, schedule, workload = [], ...flags }: ApplyPoliciesFlags): PolicyJson {
  if (clusterName === undefined)
    throw flagInvalid('--cluster-name is missing', 'pass the cluster name, or use - or -f');
  if (schedule === undefined) throw flagInvalid('--schedule is missing', 'use a cron schedule in UTC, or weekdays');
  const { blockedVersions = [], mutex = [], sector, freeze } = flags;
  return {
    conditions: {
      ...{ blocked_versions: [...blockedVersions], mutexes: [...mutex], soak_days: flags.soakDays },
      ...defined({ sector, freezes: freeze && [...freeze] }),
    },
    ...{ name: clusterName, schedule, workloads: [...workload] },
  };
}
