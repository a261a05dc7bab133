import { EchelonError } from '../../base/index.ts';
import type { Instance } from '../../instance/index.ts';
import { requireDirectory } from '../../instance/index.ts';
import type { PinNote } from '../pins/note.ts';
import { type PinPlan, type PinSubject, planPin, planUnpin } from '../pins/plan-pins.ts';
import { type EntryChoice, integrationOf } from '../pins/select-entries.ts';
import type { ShardChoice } from '../pins/select-shards.ts';
import type { PinPorts } from './pin-ports.ts';

/** Shards of an integration, selected in exactly one of these ways. */
export interface NamedShards {
  readonly integration: string;
  readonly entries: EntryChoice;
  readonly shard?: readonly string[];
  readonly except?: readonly string[];
}

export interface PinRequest extends NamedShards {
  /** A tag; `current` or absent for each shard's currently declared image. */
  readonly image?: string;
  readonly note: PinNote;
}

export interface UnpinRequest extends NamedShards {
  readonly all?: boolean;
}

/** The planned changes and their instance. */
export interface PlannedPins {
  readonly instance: Instance;
  readonly plan: PinPlan;
}

export async function plannedPin(ports: PinPorts, request: PinRequest): Promise<PlannedPins> {
  const { image, note } = request;
  const shards = shardChoice(request, '--shard and --except');
  return decided(ports, request, (subject) =>
    planPin({ ...subject, shards }, image === 'current' ? undefined : image, note),
  );
}

export async function plannedUnpin(ports: PinPorts, request: UnpinRequest): Promise<PlannedPins> {
  const shards = shardChoice(request, '--shard, --except and --all');
  return decided(ports, request, (subject) => planUnpin({ ...subject, shards }));
}

/** Writes a plan into the integration's file. */
export function writePins({ files }: PinPorts, { instance, plan: { file, before, after } }: PlannedPins): void {
  files.replace(instance.snapshot.origin, [{ file: `data${file}`, before, after }]);
}

async function decided(
  { loadInstance, files }: PinPorts,
  { integration: name, entries }: NamedShards,
  decide: (subject: Omit<PinSubject, 'shards'>) => PinPlan,
): Promise<PlannedPins> {
  const instance = await loadInstance();
  const { origin } = instance.snapshot;
  requireDirectory(instance.snapshot, 'PIN_SOURCE');
  const integration = integrationOf(instance, name);
  requireUnchanged(instance, integration.file);
  const bytes = files.read(origin, `data${integration.file}`);
  return { instance, plan: decide({ instance, integration, bytes, entries }) };
}

function shardChoice({ shard, except, all }: Omit<UnpinRequest, 'integration' | 'entries'>, ways: string): ShardChoice {
  const choices: ShardChoice[] = [
    ...(shard === undefined ? [] : [{ shards: shard }]),
    ...(except === undefined ? [] : [{ except }]),
    ...(all === true ? [{ all }] : []),
  ];
  const [choice, another] = choices;
  if (choice !== undefined && another === undefined) return choice;
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: choice === undefined ? 'no shards selected' : 'shards selected in more than one way',
    hint: `pass one of ${ways}`,
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
