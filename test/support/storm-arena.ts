import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultProxy } from './fault-proxy.ts';
import { type Account, CLUSTER, type Fleet, type ManagerWorld, pathOf, type Running } from './manager-e2e.ts';
import type { AuditEvent, KubeBody } from './real-kube.ts';
import { deployment } from './real-kube-objects.ts';
import { type Declared, declare } from './storm-fleet.ts';

/** A manager's process, which is started again when it dies, with a proxy and a user of its own. */
export interface StormManager {
  readonly user: string;
  readonly proxy: FaultProxy;
  kill(): Promise<void>;
  /** How it ended whenever it was not killed: its code and its last lines. It was started again, as a kubelet does. */
  readonly ends: readonly string[];
  start(): void;
  pause(): void;
  resume(): void;
  /** The last lines that it logged. */
  tail(): string;
}

/** A namespace with two managers, one lease, and objects of somebody else. */
export interface StormArena {
  readonly fleet: Fleet;
  readonly managers: readonly StormManager[];
  /** `deployments/name` of the objects of somebody else. */
  readonly foreign: ReadonlySet<string>;
  /** What the instance declares now. */
  declared: Declared;
  /** All that the managers asked for so far. */
  events(): readonly AuditEvent[];
  /** What the objects of somebody else say; it must never change. */
  foreignState(): Promise<unknown>;
  close(): Promise<void>;
}

const FLAGS = ['--poll', '1s', '--allow-mass-deletion', '--metrics-port', '0', '--metrics-host', '127.0.0.1'];
const TAIL_LINES = 20;

/** Every process of a manager leaves its log in the folder of the record, if there is one. */
export async function openArena(world: ManagerWorld, name: string, record?: string): Promise<StormArena> {
  const fleet = await world.fleet(name);
  const foreign = await createForeign(world, name);
  const managers: StormManager[] = [];
  for (const one of ['one', 'two'])
    managers.push(stormManager(fleet, await world.proxiedAccount(`${name}-${one}`), record));
  const foreignState = (): Promise<unknown> =>
    Promise.all(foreign.map(async (path) => essence(await world.kube.harness('GET', path))));
  const declared: Declared = { tag: 'v0', shards: { alpha: 2 } };
  declare(fleet, declared);
  const users = new Set(managers.map(({ user }) => user));
  const seen: AuditEvent[] = [];
  let mark = world.mark();
  const events = (): readonly AuditEvent[] => {
    const fresh = world.kube.auditSince(mark);
    mark += fresh.length;
    seen.push(...fresh.filter(({ user }) => users.has(user)));
    return seen;
  };
  for (const manager of managers) manager.start();
  return {
    ...{ fleet, managers, declared, events, foreignState },
    foreign: new Set(foreign.map((path) => path.split('/').slice(-2).join('/'))),
    close: async () => {
      for (const manager of managers) await manager.kill();
    },
  };
}

function stormManager(
  fleet: Fleet,
  account: Account & { readonly proxy: FaultProxy },
  record: string | undefined,
): StormManager {
  const place = ['--lease', `${CLUSTER}/${fleet.namespace}/manager`];
  const { user, proxy } = account;
  let running: Running | undefined;
  let killed = false;
  const ends: string[] = [];
  let processes = 0;
  const tail = (): string =>
    running === undefined ? '' : [lastLines(running.stdout()), running.stderr()].join('\n').trimEnd();
  const start = (): void => {
    killed = false;
    const options = { as: account, env: { LOG_LEVEL: 'info' } };
    const begun = fleet.start('run integrations-manager', [...FLAGS, ...place], options);
    running = begun;
    processes += 1;
    const file = `${user.split(':').at(-1)}-${processes}.log`;
    void begun.ended.then((how) => {
      if (record !== undefined)
        writeFileSync(
          join(record, file),
          `${begun.stdout()}${begun.stderr()}ended with ${how}${killed ? ', killed' : ''}\n`,
        );
      if (killed) return;
      ends.push(`${how}:\n${tail()}`);
      start();
    });
  };
  return {
    ...{ user, proxy, ends, start, tail },
    kill: async () => {
      killed = true;
      running?.kill('SIGKILL');
      await running?.ended;
    },
    pause: () => running?.kill('SIGSTOP'),
    resume: () => running?.kill('SIGCONT'),
  };
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}

/** Of another team, some of them with names like ours. Returns their paths. */
async function createForeign({ kube }: ManagerWorld, namespace: string): Promise<string[]> {
  const service = { metadata: { name: 'theirs' }, spec: { ports: [{ port: 80 }], selector: { app: 'theirs' } } };
  const made = [
    [pathOf('Deployment', namespace), deployment('theirs', { replicas: 0 })],
    [pathOf('Deployment', namespace), deployment('qontract-reconcile-theirs', { replicas: 0 })],
    [pathOf('Service', namespace), service],
  ] as const;
  const paths: string[] = [];
  for (const [path, body] of made) {
    const { status, body: created } = await kube.harness('POST', path, body);
    if (status !== 201) throw new Error(`${path} is refused: ${status} ${created.message}`);
    paths.push(`${path}/${created.metadata?.name}`);
  }
  return paths;
}

/** Without what controllers note. */
function essence({ body: { metadata, spec } }: { readonly body: KubeBody }): unknown {
  return { uid: metadata?.uid, generation: metadata?.generation, labels: metadata?.['labels'], spec };
}
