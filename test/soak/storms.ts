import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { seededRandom } from '../../src/runtime/index.ts';
import { type ManagerWorld, requestsOf, startManagerWorld } from '../support/manager-e2e.ts';
import { converged, type StormState, storm } from '../support/storm.ts';
import { openArena } from '../support/storm-arena.ts';
import { auditStorm } from '../support/storm-audit.ts';
import { Tally } from '../support/upgrade-simulation-tally.ts';

export interface SoakRecord {
  readonly tally: Tally;
  readonly violations: readonly string[];
}

/** Namespaces with two managers each, on one API server, so that the time that elections take is used. */
const ARENAS = 3;
/** Printed also when they never happened. */
const NEVER = [
  ...['writes by non-leaders', 'foreign objects touched', 'outputs with a secret'],
  'managers that ended by themselves',
];

/**
 * Storms on a real API server: random faults, kills, pauses and partitions of managers, as long as there are seeds. The folder of
 * the record gets the server's audit log and the logs of all managers.
 */
export async function soakStorms(nextSeed: () => number | undefined, record?: string): Promise<SoakRecord> {
  const tally = new Tally();
  const violations: string[] = [];
  for (const what of NEVER) tally.count(what, 0);
  if (record !== undefined) mkdirSync(record, { recursive: true });
  const world = await startManagerWorld(record === undefined ? {} : { auditLog: join(record, 'audit.log') });
  try {
    await world.kube.startNodes();
    const arenas = Array.from({ length: ARENAS }, (_, index) =>
      stormyArena(world, `storms-${index}`, { nextSeed, tally, record }),
    );
    for (const found of await Promise.all(arenas)) violations.push(...found);
    tally.count('outputs with a secret', world.leaks().with.length);
  } finally {
    await world.close();
  }
  for (const what of NEVER) if (tally.of(what) > 0) violations.push(`${tally.of(what)} ${what}`);
  return { tally, violations };
}

interface StormyRun {
  readonly nextSeed: () => number | undefined;
  readonly tally: Tally;
  readonly record: string | undefined;
}

/** One storm after the other, until one breaks a promise. */
async function stormyArena(
  world: ManagerWorld,
  name: string,
  { nextSeed, tally, record }: StormyRun,
): Promise<string[]> {
  const arena = await openArena(world, name, record);
  const before = await arena.foreignState();
  const violations: string[] = [];
  const late: string[] = [];
  let declarations = 0;
  try {
    await converged(arena);
    for (let seed = nextSeed(); seed !== undefined; seed = nextSeed()) {
      const state: StormState = { arena, random: seededRandom(seed), tally, late, declarations };
      await storm(state).catch((thrown: unknown) => {
        throw new Error(`storm ${seed}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      });
      declarations = state.declarations;
    }
  } catch (thrown) {
    violations.push(`${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  await arena.close();
  const facts = { namespace: name, managers: new Set(arena.managers.map(({ user }) => user)), foreign: arena.foreign };
  const audit = auditStorm(arena.events(), { ...facts, late });
  tally.count('writes', audit.writes);
  tally.count('changes of leader', audit.changesOfLeader);
  tally.count('writes by non-leaders', audit.byNonLeaders.length);
  tally.count('foreign objects touched', audit.foreign.length);
  for (const { user, verb, requestURI, received, code } of [...audit.byNonLeaders, ...audit.foreign])
    violations.push(`${name}: ${received} ${user} ${verb} ${requestURI} ${code}`);
  for (const { user, ends } of arena.managers) {
    tally.count('managers that ended by themselves', ends.length);
    for (const end of ends) console.log(`${user} ended with ${end}\n`);
  }
  if (!isDeepStrictEqual(await arena.foreignState(), before)) violations.push(`${name}: a foreign object has changed`);
  const mark = world.mark();
  const { code, stderr } = await arena.fleet.run('manager apply', ['--yes', '--allow-mass-deletion']);
  const writes = requestsOf(world.writes(mark));
  if (violations.length === 0 && (code !== 0 || writes.length > 0))
    violations.push(`${name}: not converged in the end: ${code} ${writes.join(', ')} ${stderr}`);
  return violations;
}
