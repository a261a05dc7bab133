import { isDeepStrictEqual } from 'node:util';
import type { SimPolicy, World, WorldCall } from '../../src/sim/index.ts';
import type { UpgradeTarget } from '../../src/upgrades/index.ts';
import type { PolicyCreation } from '../../src/upgrades/scheduler/ports.ts';
import type { StateJson } from '../../src/upgrades/scheduler/state.ts';
import type { Listener } from './upgrade-simulation-line.ts';
import { MOST_STALE_MINUTES } from './upgrade-simulation-passes.ts';
import { type Busy, DAY_MS, isBlocked, PROMISES, TOLERANCE_MS } from './upgrade-simulation-promises.ts';
import type { SoakAccounts } from './upgrade-simulation-soak.ts';
import type { Tally } from './upgrade-simulation-tally.ts';
import type { View } from './upgrade-simulation-view.ts';

/** A promise that was broken. */
export interface Broken {
  readonly promise: string;
  readonly message: string;
}

export interface WatchParts {
  readonly world: World;
  readonly soak: SoakAccounts;
  readonly tally: Tally;
  readonly note: (text: string) => void;
  /** Told of every call that the world carried out. */
  readonly did: (call: WorldCall) => void;
}

/** What a call for an upgrade says. */
type Wish = readonly [UpgradeTarget, { readonly version: string; readonly nextRun: string }];

/** Histories only grow: what one claims too much the next ones do, too. */
const AUDIT_EVERY = 4;
const OVER: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);
const WAITING: ReadonlySet<string> = new Set(['pending', 'scheduled']);

/** Watches the world, and what schedulers observe and request; knows nothing of how they decide. */
export class Watch {
  readonly broken: Broken[] = [];
  readonly #parts: WatchParts;
  /** By id, the policies that schedulers made, with what they knew. */
  readonly #own = new Map<string, View>();
  /** Upgrades that are one too many, unless OCM refuses them: it does for two of one cluster. */
  readonly #crowding = new Map<WorldCall, string>();
  /** On their way. OCM refuses one that finds another in its place. */
  readonly #coming = new Set<{ readonly target: UpgradeTarget; readonly busy: Busy }>();
  /** By cluster, when an upgrade of it was last asked for. */
  readonly askedAt = new Map<string, number>();
  /** The last pass that scheduled something scheduled this. */
  lastCreated: { readonly orgId: string; readonly cluster: string; readonly version: string } | undefined;

  #clocksWrongAt = 0;
  #stores = 0;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** A pass begins with a wrong clock: what it takes for over may still be to come. */
  clockIsWrong(): void {
    this.#parts.tally.count('passes with a wrong clock');
    this.#clocksWrongAt = this.#now();
  }

  /** Listens to one pass. */
  listen(view: View, clock: () => number): Listener {
    const { world, soak, tally, note } = this.#parts;
    const committed = new Set<string>();
    const clocks = new Map<WorldCall, number>();
    return {
      called: (call) => {
        tally.count('calls');
        if (call.name === 'listClusters') view.seenAt = clock();
        if (call.name === 'createPolicy') clocks.set(call, clock());
      },
      told: (call, answer) => view.tell(call, answer, this.#now()),
      asks: (call) => this.#judge(view, call, clocks.get(call) ?? Number.NaN),
      done: (call, answer) => this.#done(view, call, answer),
      delayed: ({ args }) => {
        const [target] = args as Wish;
        const coming = { target, busy: { clusterId: target.clusterId, view } };
        this.#coming.add(coming);
        return () => void this.#coming.delete(coming);
      },
      stored: (key, value) => {
        const orgId = key.slice(key.lastIndexOf('/') + 1);
        if (committed.has(orgId)) return;
        committed.add(orgId);
        soak.stored(orgId, view, world.now().getTime());
        this.#stores += 1;
        if (this.#stores % AUDIT_EVERY === 0) this.#audit(orgId, value);
      },
      faulted: ({ kind }, call) => {
        tally.count(`fault ${kind}`);
        note(`${view.name}: ${kind} at ${call}`);
      },
    };
  }

  /** No history claims more than can have been seen. */
  #audit(orgId: string, value: Uint8Array): void {
    const { versions } = JSON.parse(new TextDecoder().decode(value)) as StateJson;
    for (const [version, { workloads }] of Object.entries(versions)) {
      for (const [workload, { soak_days: days }] of Object.entries(workloads)) {
        const most = this.#parts.soak.soaked(orgId, version, workload);
        if (days * DAY_MS <= most + TOLERANCE_MS) continue;
        this.break('U4', `${orgId} claims ${days} days of ${version} with ${workload}, of ${most / DAY_MS} at most`);
      }
    }
  }

  #now(): number {
    return this.#parts.world.now().getTime();
  }

  #judge(view: View, call: WorldCall, clock: number): void {
    const { world, soak, tally, note } = this.#parts;
    const [{ kind, clusterId }, { version, nextRun }] = call.args as Wish;
    tally.count(`asked ${kind}`);
    this.askedAt.set(clusterId, this.#now());
    note(
      `${view.name}: asks for ${version} on ${clusterId}${kind === 'node_pool' ? ' (node pool)' : ''} at ${nextRun}`,
    );
    const cluster = view.cluster(clusterId);
    if (cluster === undefined) {
      this.break('U6', `${clusterId} is upgraded, of which nobody told`);
      return;
    }
    const busy = this.#busy(view, call.args[0] as UpgradeTarget);
    const versionOf = (id: string): string | undefined => world.state.clusters.get(id)?.version;
    const asked = { view, cluster, kind, version, nextRun: Date.parse(nextRun), clock, busy, versionOf, soak };
    for (const [promise, holds] of Object.entries(PROMISES)) {
      const why = holds(asked);
      if (why === undefined) continue;
      const message = `${view.name} asks for ${version} on ${cluster.row.name}: ${why}`;
      if (promise === 'U2') this.#crowding.set(call, message);
      else this.break(promise, message);
    }
    if (busy.length > 0) tally.count('asked while others were busy');
    if (Number(cluster.labels['soak-days']) > 0) tally.count('asked with soak');
    if (cluster.labels['sector'] !== undefined) tally.count('asked with a sector');
  }

  /** Who is being upgraded: all that schedulers asked for, and what users did if it could be known. */
  #busy(view: View, target: UpgradeTarget): Busy[] {
    const known = view.startedAt - MOST_STALE_MINUTES * 60_000;
    const shown = [...this.#parts.world.state.policies.all()].flatMap(
      ({ id, state, target: held, createdAt }): Busy[] => {
        if (OVER.has(state)) return [];
        const own = this.#own.get(id);
        if (own === undefined) return createdAt < known ? [{ clusterId: held.clusterId }] : [];
        return [{ clusterId: held.clusterId, view: own }];
      },
    );
    const coming = [...this.#coming].filter((each) => !isDeepStrictEqual(each.target, target));
    return [...shown, ...coming.map(({ busy }) => busy)];
  }

  #done(view: View, call: WorldCall, answer: unknown): void {
    const { tally, note, did } = this.#parts;
    const { name, args } = call;
    did(call);
    tally.count(`done ${name}`);
    if (name === 'createPolicy') this.#created(view, call, answer as PolicyCreation);
    if (name !== 'deletePolicy') return;
    note(`${view.name}: cancels on ${(args[0] as UpgradeTarget).clusterId}`);
    if (!this.#own.has(args[1] as string)) this.break('U1', `${view.name} deletes a policy that is not its own`);
  }

  #created(view: View, call: WorldCall, answer: PolicyCreation): void {
    const { tally, note } = this.#parts;
    const [{ clusterId }, { version }] = call.args as Wish;
    tally.count(`policy ${answer.outcome}`);
    if (answer.outcome === 'refused') {
      tally.count(`refused: ${answer.reason.replaceAll(/'[^']*'/g, '…')}`);
      note(`OCM refuses ${version} on ${clusterId}: ${answer.reason}`);
    }
    if (answer.outcome !== 'created') return;
    const crowding = this.#crowding.get(call);
    if (crowding !== undefined) this.break('U2', crowding);
    this.#own.set(answer.id, view);
    const told = view.cluster(clusterId);
    if (told !== undefined) this.lastCreated = { orgId: told.orgId, cluster: told.row.name, version };
  }

  /** After a pass that nothing disturbed: what is blocked and has not begun is gone. */
  afterQuietPass(view: View): void {
    const left = [...this.#parts.world.state.policies.all()].filter((policy) => this.#shouldBeGone(view, policy));
    for (const { target, version } of left)
      this.break('U1', `${view.name} leaves ${version} scheduled on ${target.clusterId}, which is blocked`);
  }

  #shouldBeGone(view: View, { id, state, target, nextRun, version, createdAt }: SimPolicy): boolean {
    if (!this.#own.has(id) || !WAITING.has(state) || nextRun <= this.#now()) return false;
    if (createdAt <= this.#clocksWrongAt) return false;
    const cluster = view.cluster(target.clusterId);
    return cluster !== undefined && isBlocked(view, cluster, version) !== undefined;
  }

  break(promise: string, message: string): void {
    this.#parts.note(`${promise} IS BROKEN: ${message}`);
    this.broken.push({ promise, message });
  }
}
