import { compare } from 'semver';
import { memoryStateStore } from '../../src/base/index.ts';
import { type Instant, instantOf } from '../../src/gates/index.ts';
import { formatState, parseState } from '../../src/upgrades/scheduler/state.ts';
import { dayText, Simulation } from './upgrade-simulation.ts';
import type { Allowed } from './upgrade-simulation-allowed.ts';
import type { Scenario } from './upgrade-simulation-scenario.ts';
import { Tally } from './upgrade-simulation-tally.ts';

/** When a cluster was first seen to have reached a version. */
interface Reached {
  readonly at: number;
  readonly version: string;
}

/**
 * What becomes of a world from a point on, with schedulers that start again there: the same history, and nothing of what
 * faults may have left behind, neither reservations nor a check-in that is still to come.
 */
export async function forecast(scenario: Scenario, real: Simulation): Promise<Simulation> {
  const store = memoryStateStore();
  for (const key of real.store.keys()) {
    const { ledger } = parseState((await real.store.read(key))!.value, key);
    const checkIn = Math.min(ledger.checkIn ?? 0, instantOf(real.now)) as Instant;
    await store.write(
      key,
      formatState({ ledger: { ...ledger, checkIn }, reservations: [], past: { clusters: new Map(), scheduled: [] } }),
      'absent',
    );
  }
  return new Simulation(scenario, { world: real.copyOfWorld(), store, tally: new Tally() });
}

/** Notes what clusters run. */
export class Progress {
  readonly #reached = new Map<string, Reached[]>();
  readonly #simulation: Simulation;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.look();
  }

  look(): void {
    const { world, now } = this.#simulation;
    for (const { id, version } of world.state.clusters.all()) {
      const known = this.#reached.get(id) ?? [];
      this.#reached.set(id, known);
      if (known.at(-1)?.version !== version) known.push({ at: now, version });
    }
  }

  of(cluster: string): readonly Reached[] {
    return this.#reached.get(cluster) ?? [];
  }

  /** How many there were. */
  upgrades(): number {
    return [...this.#reached.values()].reduce((sum, versions) => sum + versions.length - 1, 0);
  }

  clusters(): Iterable<string> {
    return this.#reached.keys();
  }
}

/** A slot may have been missed; the rarest schedule of the fleets leaves ten days between two. */
export const SLACK_DAYS = 11;

/** Clusters that reached something in the forecast, and not so soon in truth. */
export function laggards(real: Progress, expected: Progress, end: number): string[] {
  return [...expected.clusters()].flatMap((cluster) =>
    expected.of(cluster).flatMap(({ at, version }) => {
      const since = real.of(cluster).find((reached) => compare(reached.version, version) >= 0)?.at;
      const latest = at + SLACK_DAYS * 86_400_000;
      if (latest > end || (since !== undefined && since <= latest)) return [];
      const when = since === undefined ? 'not' : `only on ${dayText(new Date(since))}`;
      return [`${cluster} could have had ${version} on ${dayText(new Date(at))}, and had it ${when}`];
    }),
  );
}

/**
 * What nothing but the schedule and others kept from a cluster, and yet nobody asked for. One that waits for the policy of
 * a user may wait forever.
 */
export function forgotten({ watch, world }: Simulation, allowed: readonly Allowed[], since: number): string[] {
  const isBusy = (id: string): boolean => world.state.policies.by('cluster', id).length > 0;
  const hasMoved = (id: string): boolean => (watch.askedAt.get(id) ?? 0) > since || isBusy(id);
  return allowed
    .filter(({ rivals }) => ![...rivals].some(hasMoved))
    .map(
      ({ clusterId, version }) => `${clusterId} may have ${version} since ${dayText(new Date(since))}, and got nothing`,
    );
}
