import type { Context } from '../engine/context.ts';
import type { Member, ServedCluster } from '../engine/facts.ts';
import type { UpgradeGate } from '../engine/gate.ts';
import type { Version } from '../engine/versions.ts';
import type { ReasonAt } from './waiting-log.ts';

/** Shows what was so in a pass before. */
interface TimedContext extends Context {
  during<Value>(pass: number, read: () => Value): Value;
}

interface ReasonParts {
  readonly row: UpgradeGate;
  readonly version: Version;
  readonly cluster: ServedCluster;
  readonly member: Member;
  readonly context: TimedContext;
}

/** A reason that changes with time, of a gate that keeps a cluster from a version. */
export class TimedReason implements ReasonAt {
  readonly row: UpgradeGate;
  readonly version: Version;
  readonly cluster: ServedCluster;
  readonly #member: Member;
  readonly #context: TimedContext;

  constructor({ row, version, cluster, member, context }: ReasonParts) {
    this.row = row;
    this.version = version;
    this.cluster = cluster;
    this.#member = member;
    this.#context = context;
  }

  at(pass: number): string {
    const { row, version, cluster } = this;
    const subject = { cluster, member: this.#member, policy: cluster.policy, version };
    return this.#context.during(pass, () => row.judge(subject, this.#context).reason);
  }
}
