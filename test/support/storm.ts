import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../../src/runtime/index.ts';
import { disturb } from './disturb.ts';
import type { AuditEvent } from './real-kube.ts';
import type { StormArena, StormManager } from './storm-arena.ts';
import { lateKey, takesLease } from './storm-audit.ts';
import { declare, drawDeclared, expectedDeployments, liveDeployments } from './storm-fleet.ts';
import { until } from './until.ts';
import type { Tally } from './upgrade-simulation-tally.ts';

/** An arena in the middle of its storms. */
export interface StormState {
  readonly arena: StormArena;
  readonly random: Random;
  readonly tally: Tally;
  /** Writes that were held until another led. */
  readonly late: string[];
  /** How often the instance was changed. */
  declarations: number;
}

/** What happens to a manager while the faults rage. Returns when it is over. */
type Event = (state: StormState) => Promise<void>;

const SHARES = [0, 0.1, 0.3];
/** Far more than an election takes: ends what hangs. */
const LONGEST_SECONDS = 240;
const MOST_WRITES = 10;
const VERBS: Readonly<Record<string, string>> = { PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

const EVENTS: Readonly<Record<string, Event>> = {
  'kill -9 of the leader': async (state) => kill(state, await midway(state)),
  'kill -9 of the standby': async (state) => kill(state, otherThan(state, await midway(state))),
  'SIGSTOP of the leader': (state) =>
    away(state, (leader) => {
      leader.pause();
      return () => leader.resume();
    }),
  'partition of the leader, reset': (state) => away(state, ({ proxy }) => proxy.partition('reset').heal),
  'partition of the leader, silent': (state) => away(state, ({ proxy }) => proxy.partition('silent').heal),
  'late write of the leader': lateWrite,
};

/** Changes the instance, lets faults rage and something happen to a manager, and waits until all is as declared. */
export async function storm(state: StormState): Promise<void> {
  const { arena, random, tally } = state;
  const [name, event] = pick(random, Object.entries(EVENTS));
  const share = pick(random, SHARES);
  const count = (kind: string): void => tally.count(`fault ${kind}`);
  const faults = arena.managers.map(({ proxy }) => disturb(proxy, { share, random, count }));
  try {
    await event(state);
  } finally {
    for (const fault of faults) fault.stop();
  }
  tally.count(name);
  tally.count('storms');
}

async function kill({ arena, tally }: StormState, manager: StormManager): Promise<void> {
  await manager.kill();
  manager.start();
  tally.count('kills');
  await converged(arena);
}

/** Takes the leader away until another leads and has changed everything, then gives it back. */
async function away(state: StormState, take: (leader: StormManager) => () => void | Promise<void>): Promise<void> {
  const { arena, tally } = state;
  const leader = await midway(state);
  const giveBack = take(leader);
  await leading(arena, otherThan(state, leader));
  change(state);
  await converged(arena);
  const mark = arena.events().length;
  await giveBack();
  tally.count('lease pauses');
  await until(
    () =>
      arena
        .events()
        .slice(mark)
        .some(({ user, resource }) => user === leader.user && resource === 'leases'),
    {
      timeoutSeconds: LONGEST_SECONDS,
      what: `${leader.user} asks for the lease again`,
    },
  );
  await converged(arena);
}

/** Writes of the leader are on their way until another leads and has changed everything. */
async function lateWrite(state: StormState): Promise<void> {
  const { arena, random, late, tally } = state;
  const leader = await currentLeader(arena);
  const match = { method: Object.keys(VERBS), path: /^(?!.*\/leases)/, times: 1 + Math.floor(random() * 3) };
  const hold = leader.proxy.hold({ ...match, where: ({ query }) => query['dryRun'] === undefined });
  change(state);
  await until(async () => hold.held.length > 0 || (await currentLeader(arena)) !== leader || isConverged(arena), {
    timeoutSeconds: LONGEST_SECONDS,
    what: `${leader.user} writes`,
  });
  if (hold.held.length === 0) {
    await hold.release();
    return converged(arena);
  }
  const partition = leader.proxy.partition('silent');
  await leading(arena, otherThan(state, leader));
  change(state);
  await converged(arena);
  late.push(...hold.held.map(({ method, path }) => lateKey(leader.user, VERBS[method] ?? method, path)));
  await hold.release();
  partition.heal();
  tally.count('lease pauses');
  for (const { status = 0 } of hold.held) tally.count(status < 300 ? 'late writes carried out' : 'late writes refused');
  await converged(arena);
}

/** Changes the instance, and returns the leader when it has written some of the change. */
async function midway(state: StormState): Promise<StormManager> {
  const { arena, random } = state;
  await currentLeader(arena);
  const mark = arena.events().length;
  change(state);
  const writes = Math.floor(random() * MOST_WRITES);
  const written = (): number => arena.events().slice(mark).filter(isWrite).length;
  await until(async () => written() >= writes || (await isConverged(arena)), {
    timeoutSeconds: LONGEST_SECONDS,
    what: `${writes} writes`,
    everyMs: 5,
  });
  return currentLeader(arena);
}

function change(state: StormState): void {
  state.declarations += 1;
  state.arena.declared = drawDeclared(state.random, state.declarations);
  declare(state.arena.fleet, state.arena.declared);
}

/** Who wrote the lease last. */
function currentLeader(arena: StormArena): Promise<StormManager> {
  return until(() => leaderOf(arena), { timeoutSeconds: LONGEST_SECONDS, what: 'a manager leads' });
}

function leaderOf(arena: StormArena): StormManager | undefined {
  const last = arena.events().findLast(takesLease);
  return arena.managers.find(({ user }) => user === last?.user);
}

async function leading(arena: StormArena, manager: StormManager): Promise<void> {
  const what = `${manager.user} leads`;
  await until(() => leaderOf(arena) === manager, { timeoutSeconds: LONGEST_SECONDS, what });
}

function otherThan({ arena }: StormState, manager: StormManager): StormManager {
  return arena.managers.find((one) => one !== manager) ?? manager;
}

export async function converged(arena: StormArena): Promise<void> {
  const { declared } = arena;
  try {
    await until(() => isConverged(arena), { timeoutSeconds: LONGEST_SECONDS, what: 'everything is as declared' });
  } catch (cause) {
    const live = await liveDeployments(arena.fleet, arena.foreign);
    const logs = arena.managers.map(({ user, tail }) => `${user}:\n${tail()}`);
    throw new Error([`not converged: ${JSON.stringify({ declared, live })}`, ...logs].join('\n'), { cause });
  }
}

async function isConverged({ declared, fleet, foreign }: StormArena): Promise<boolean> {
  return isDeepStrictEqual(await liveDeployments(fleet, foreign), expectedDeployments(declared));
}

function isWrite({ verb, resource, dryRun, code = 0 }: AuditEvent): boolean {
  return dryRun === undefined && verb !== 'get' && verb !== 'list' && resource !== 'leases' && code < 300;
}

function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[Math.floor(random() * values.length)] as Value;
}
