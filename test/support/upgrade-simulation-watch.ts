import type { SimPolicy, World, WorldCall } from '../../src/sim/index.ts';
import type { PolicyCreation, PolicyTarget } from '../../src/upgrades/index.ts';
import type { AskedPolicy, Listener } from './upgrade-simulation-line.ts';
import { MOST_STALE_MINUTES } from './upgrade-simulation-passes.ts';
import { type Busy, isBlocked, PROMISES } from './upgrade-simulation-promises.ts';
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

const OVER: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);
const WAITING: ReadonlySet<string> = new Set(['pending', 'scheduled']);

/** Watches the world, and what schedulers are told and ask for; knows nothing of how they decide. */
export class Watch {
  readonly broken: Broken[] = [];
  readonly #parts: WatchParts;
  /** By id, the policies that schedulers made, with what they knew. */
  readonly #own = new Map<string, View>();
  /** On their way. */
  readonly #coming = new Set<Busy>();
  /** The last pass that scheduled something scheduled this. */
  lastCreated: { readonly orgId: string; readonly version: string } | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** Listens to one pass. */
  listen(view: View, clock: () => number): Listener {
    const { world, soak, tally, note } = this.#parts;
    const committed = new Set<string>();
    return {
      called: ({ name }) => {
        tally.count('calls');
        if (name === 'listClusters') view.seenAt = clock();
      },
      told: (call, answer) => view.tell(call, answer, this.#now()),
      asks: (target, policy) => this.#judge(view, target, policy, clock()),
      done: (call, answer) => this.#done(view, call, answer),
      delayed: ({ clusterId }) => {
        const busy = { clusterId, view };
        this.#coming.add(busy);
        return () => void this.#coming.delete(busy);
      },
      stored: (key) => {
        const orgId = key.slice(key.lastIndexOf('/') + 1);
        if (committed.has(orgId)) return;
        committed.add(orgId);
        soak.stored(orgId, view, world.now().getTime());
      },
      faulted: ({ kind }, call) => {
        tally.count(`fault ${kind}`);
        note(`${view.name}: ${kind} at ${call}`);
      },
    };
  }

  #now(): number {
    return this.#parts.world.now().getTime();
  }

  #judge(view: View, { kind, clusterId }: PolicyTarget, { version, nextRun }: AskedPolicy, clock: number): void {
    const { world, soak, tally, note } = this.#parts;
    tally.count(`asked ${kind}`);
    note(
      `${view.name}: asks for ${version} on ${clusterId}${kind === 'node_pool' ? ' (node pool)' : ''} at ${nextRun}`,
    );
    const cluster = view.cluster(clusterId);
    if (cluster === undefined) {
      this.break('U6', `${clusterId} is upgraded, of which nobody told`);
      return;
    }
    const busy = this.#busy(view);
    const versionOf = (id: string): string | undefined => world.state.clusters.get(id)?.version;
    const asked = { view, cluster, kind, version, nextRun: Date.parse(nextRun), clock, busy, versionOf, soak };
    for (const [promise, holds] of Object.entries(PROMISES)) {
      const why = holds(asked);
      if (why !== undefined) this.break(promise, `${view.name} asks for ${version} on ${cluster.row.name}: ${why}`);
    }
    if (busy.length > 0) tally.count('asked while others were busy');
    if (Number(cluster.labels['soak-days']) > 0) tally.count('asked with soak');
    if (cluster.labels['sector'] !== undefined) tally.count('asked with a sector');
  }

  /** Who is being upgraded: all that schedulers asked for, and what users did if it could be known. */
  #busy(view: View): Busy[] {
    const known = view.startedAt - MOST_STALE_MINUTES * 60_000;
    const shown = [...this.#parts.world.state.policies.all()].flatMap(({ id, state, target, createdAt }): Busy[] => {
      if (OVER.has(state)) return [];
      const own = this.#own.get(id);
      if (own === undefined) return createdAt < known ? [{ clusterId: target.clusterId }] : [];
      return [{ clusterId: target.clusterId, view: own }];
    });
    return [...shown, ...this.#coming];
  }

  #done(view: View, call: WorldCall, answer: unknown): void {
    const { tally, note, did } = this.#parts;
    const { name, args } = call;
    did(call);
    tally.count(`done ${name}`);
    if (name === 'createPolicy') this.#created(view, args as [PolicyTarget, AskedPolicy], answer as PolicyCreation);
    if (name !== 'deletePolicy') return;
    note(`${view.name}: cancels on ${(args[0] as PolicyTarget).clusterId}`);
    if (!this.#own.has(args[1] as string)) this.break('U1', `${view.name} deletes a policy that is not its own`);
  }

  #created(view: View, [{ clusterId }, { version }]: [PolicyTarget, AskedPolicy], answer: PolicyCreation): void {
    const { tally, note } = this.#parts;
    tally.count(`policy ${answer.outcome}`);
    if (answer.outcome === 'refused') {
      tally.count(`refused: ${answer.reason.replaceAll(/'[^']*'/g, '…')}`);
      note(`OCM refuses ${version} on ${clusterId}: ${answer.reason}`);
    }
    if (answer.outcome !== 'created') return;
    this.#own.set(answer.id, view);
    const orgId = view.cluster(clusterId)?.orgId;
    if (orgId !== undefined) this.lastCreated = { orgId, version };
  }

  /** After a pass that nothing disturbed: what is blocked and has not begun is gone. */
  afterQuietPass(view: View): void {
    const left = [...this.#parts.world.state.policies.all()].filter((policy) => this.#shouldBeGone(view, policy));
    for (const { target, version } of left)
      this.break('U1', `${view.name} leaves ${version} scheduled on ${target.clusterId}, which is blocked`);
  }

  #shouldBeGone(view: View, { id, state, target, nextRun, version }: SimPolicy): boolean {
    if (!this.#own.has(id) || !WAITING.has(state) || nextRun <= this.#now()) return false;
    const cluster = view.cluster(target.clusterId);
    return cluster !== undefined && isBlocked(view, cluster, version) !== undefined;
  }

  break(promise: string, message: string): void {
    this.#parts.note(`${promise} IS BROKEN: ${message}`);
    this.broken.push({ promise, message });
  }
}
