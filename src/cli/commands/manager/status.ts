import { setTimeout as sleepFor } from 'node:timers/promises';
import { byText, count, defined, requireNames } from '../../../base/index.ts';
import { isSettled, type ShardState, type ShardStatus } from '../../../manager/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { isForTerminal } from '../../output/format.ts';
import { type Listing, printable } from '../../output/listing.ts';
import { openClusters } from './clusters.ts';
import { type ManagerContext, openManager } from './context.ts';
import { accessOf, type FleetFlags, narrowed } from './fleet.ts';
import { obstacleText } from './plan-output.ts';
import { renderAll } from './render-all.ts';
import { reportProblems } from './report.ts';
import { type Look, lookAtShards, tagOf } from './shard-look.ts';

export interface StatusFlags extends FleetFlags {
  readonly integration?: readonly string[];
  readonly watch?: boolean;
  /** Seconds. */
  readonly timeout: number;
}

const POLL_MS = 2_000;

/** Shows every shard with its image and whether it runs; with `--watch` until all do. Exits 1 when some do not. */
export async function status(io: Io, flags: StatusFlags): Promise<number> {
  const all = await openManager(io, flags);
  requireNames(
    'integration',
    flags.integration,
    all.instance.integrations.map(({ name }) => name),
  );
  const context = narrowed(all, flags);
  const rendered = await renderAll(io, flags, context);
  const { settings } = context.instance;
  const clusters = await openClusters(io, flags, accessOf(context, flags), {
    readOnly: true,
    ...defined({ vault: settings?.vault }),
  });
  try {
    const look = await lookUntil(io, flags, () => lookAtShards(io, flags, { context, rendered, clusters }));
    await print(io, flags, context, look);
    const wrong = reportProblems(io, context, flags, rendered.failures);
    return wrong || look.failures.length > 0 || !look.shards.every(isSettled) ? EXIT.failed : EXIT.ok;
  } finally {
    clusters.close();
  }
}

/** Looks once, or with `--watch` until every shard is settled or the time is over, telling what is still to come. */
async function lookUntil(io: Io, flags: StatusFlags, look: () => Promise<Look>): Promise<Look> {
  const until = performance.now() + flags.timeout * 1_000;
  let last = '';
  for (;;) {
    const seen = await look();
    const waiting = seen.shards.filter((shard) => !isSettled(shard)).length;
    const over = performance.now() + POLL_MS > until;
    if (flags.watch !== true || over || (waiting === 0 && seen.failures.length === 0)) return seen;
    const text = `waiting for ${count(waiting, 'shard')} of ${seen.shards.length}`;
    if (text !== last) io.stderr.write(`${text}\n`);
    last = text;
    await sleepFor(POLL_MS, undefined, { signal: io.signal });
  }
}

const LISTING: Omit<Listing<ShardStatus>, 'rows'> = {
  kind: 'ShardStatus',
  noun: 'shard',
  name: ({ name }) => name,
  columns: [
    { title: 'STATE', cell: ({ state }) => state },
    { title: 'INTEGRATION', cell: ({ integration }) => integration ?? '' },
    { title: 'SHARD', cell: ({ shard }) => shard ?? '' },
    { title: 'CLUSTER/NAMESPACE', cell: ({ cluster, namespace }) => `${cluster}/${namespace}` },
    { title: 'IMAGE', cell: imageCell },
    { title: 'READY', cell: ({ kind, ready, wanted }) => (kind === 'CronJob' ? '' : `${ready}/${wanted}`) },
    { title: 'OBJECT', cell: ({ kind, name }) => `${kind} ${name}`, wide: true },
    { title: 'REASON', cell: ({ reason }) => reason ?? '' },
  ],
  item: (shard) => shard,
};

/** `f929a38`, or `f929a38 → 0473914` while the object has another than it should. */
function imageCell({ expected, live }: ShardStatus): string {
  const [from, to] = [tagOf(live), tagOf(expected)];
  return from === to || from === '' || to === '' ? from || to : `${from} → ${to}`;
}

const STATES: readonly ShardState[] = ['converged', 'pinned', 'lagging', 'missing', 'unexpected', 'disabled'];

async function print(io: Io, flags: StatusFlags, { instance }: ManagerContext, look: Look): Promise<void> {
  const paint = paintFor(io.stdout, io.env, flags.color);
  const rows = look.shards.toSorted(
    (a, b) =>
      byText(a.integration ?? '~', b.integration ?? '~') ||
      byText(`${a.cluster}/${a.namespace}/${a.shard ?? a.name}`, `${b.cluster}/${b.namespace}/${b.shard ?? b.name}`),
  );
  const options = { format: flags.output, paint, revision: instance.snapshot.revision.id };
  await printable({ ...LISTING, rows }).print(io, [], options);
  const counts = STATES.map((state) => [state, rows.filter((row) => row.state === state).length] as const);
  const said = counts.filter(([, number]) => number > 0).map(([state, number]) => `${number} ${state}`);
  if (said.length > 0 && isForTerminal(flags.output)) io.stdout.write(`${paint('bold', `${said.join(', ')}.`)}\n`);
  const errors = paintFor(io.stderr, io.env, flags.color);
  for (const { cluster, namespace, error } of look.failures) {
    const message = error.message.startsWith(cluster) ? error.message : `${cluster}/${namespace}: ${error.message}`;
    io.stderr.write(obstacleText(message, error, errors));
  }
}
