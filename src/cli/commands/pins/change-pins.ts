import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { count, defined, EchelonError } from '../../../base/index.ts';
import { replaceFiles } from '../../../clients/files/index.ts';
import type { Instance } from '../../../instance/index.ts';
import {
  type EntryChoice,
  integrationOf,
  type PinChange,
  type PinPlan,
  type PinSubject,
  type ShardChoice,
  shortImageRef,
} from '../../../promotion/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { InstanceFlags } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { type Format, isForTerminal } from '../../output/format.ts';
import { type Listing, printable } from '../../output/listing.ts';
import { readFrom } from '../../read-instance.ts';
import { printDiff } from './print-diff.ts';

export interface ChangeFlags extends InstanceFlags {
  readonly shard?: readonly string[];
  readonly except?: readonly string[];
  readonly environment?: readonly string[];
  readonly namespace?: readonly string[];
  readonly allEnvironments?: boolean;
  readonly dryRun?: boolean;
  readonly output: Format;
  readonly color?: boolean;
}

/** Plans a change of pins, shows it, and writes it unless it is a dry run. */
export async function changePins(
  io: Io,
  name: string,
  flags: ChangeFlags,
  shards: ShardChoice,
  plan: (subject: PinSubject) => PinPlan,
): Promise<number> {
  const instance = await readFrom(io, flags);
  const location = (file: string): string => join(instance.snapshot.origin, 'data', file);
  requireDirectory(instance);
  const integration = integrationOf(instance, name);
  requireUnchanged(instance, integration.file);
  const bytes = await readFile(location(integration.file));
  const planned = plan({ instance, integration, bytes, entries: entriesOf(flags), shards });
  const paint = paintFor(io.stderr, io.env, flags.color);
  for (const warning of planned.warnings) io.stderr.write(`${paint('yellow', 'warning:')} ${warning}\n`);
  if (flags.dryRun !== true) {
    const { file, before, after } = planned;
    replaceFiles(instance.snapshot.origin, [{ file: join('data', file), before, after }]);
  }
  await show(io, flags, instance, planned);
  return EXIT.ok;
}

function entriesOf({ environment, namespace, allEnvironments }: ChangeFlags): EntryChoice {
  return {
    ...defined({ environments: environment, namespaces: namespace, allEnvironments }),
  };
}

/** One of the ways to name shards, and only one. */
export function shardChoice(
  flags: Pick<ChangeFlags, 'shard' | 'except'> & { readonly all?: boolean },
  ways: string,
): ShardChoice {
  const { shard, except, all } = flags;
  const given = [shard, except, all === true ? all : undefined].filter((way) => way !== undefined);
  if (given.length === 1) {
    if (shard !== undefined) return { shards: shard };
    return except === undefined ? { all: true } : { except };
  }
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: given.length === 0 ? 'nothing says which shards' : 'the shards are named in more than one way',
    hint: `give one of ${ways}`,
  });
}

function requireDirectory({ snapshot }: Instance): void {
  if (snapshot.kind === 'directory') return;
  throw new EchelonError({
    code: 'PIN_SOURCE',
    message: `${snapshot.origin} is a ${snapshot.kind}, which cannot be edited`,
    hint: 'name a checkout of the data repository with --data',
  });
}

function requireUnchanged({ snapshot }: Instance, file: string): void {
  if (snapshot.text(file) !== undefined) return;
  throw new EchelonError({
    code: 'WRITE_FAILED',
    message: `data${file} was changed while it was read`,
    hint: 'run the command again',
  });
}

const LISTING: Omit<Listing<PinChange>, 'rows'> = {
  kind: 'PinChange',
  noun: 'shard',
  name: ({ shard }) => shard,
  columns: [
    { title: 'INTEGRATION', cell: ({ integration }) => integration },
    { title: 'ENVIRONMENT', cell: ({ environment }) => environment },
    { title: 'CLUSTER/NAMESPACE', cell: ({ cluster, namespace }) => `${cluster}/${namespace}` },
    { title: 'SHARD', cell: ({ shard }) => shard },
    { title: 'CHANGE', cell: ({ action }) => action },
    { title: 'FROM', cell: ({ from }) => shortImageRef(from ?? '') },
    { title: 'TO', cell: ({ to }) => shortImageRef(to ?? '') },
  ],
  item: (change) => change,
};

async function show(io: Io, flags: ChangeFlags, instance: Instance, plan: PinPlan): Promise<void> {
  const changed = plan.before !== plan.after;
  if (flags.dryRun === true && isForTerminal(flags.output)) {
    await printDiff(io, `data${plan.file}`, plan, paintFor(io.stdout, io.env, flags.color));
  } else {
    await printable({ ...LISTING, rows: plan.changes }).print(io, [], {
      format: flags.output,
      paint: paintFor(io.stdout, io.env, flags.color),
      revision: instance.snapshot.revision.id,
    });
  }
  io.stderr.write(changed ? summary(flags, plan) : 'nothing to change\n');
}

function summary({ dryRun }: ChangeFlags, { changes, file }: PinPlan): string {
  const moved = changes.filter(({ action }) => action !== 'keep').length;
  return dryRun === true
    ? `${count(moved, 'shard')} would change; nothing was written\n`
    : `${count(moved, 'shard')} changed in data${file}\n`;
}
