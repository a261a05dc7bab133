import { defined, EchelonError, mapLimited, passes, requireNames } from '../../base/index.ts';
import { environmentNames, type Instance, requireDirectory } from '../../instance/index.ts';
import type { LineDate, LivePin, PinPorts } from '../ports.ts';
import { isExpired, listPins, type Pin, type PinNote } from './list-pins.ts';
import { type PinPlan, type PinSubject, planPin, planUnpin } from './plan-pins.ts';
import { type EntryChoice, integrationOf, type ShardChoice } from './select-shards.ts';

/** Lists and changes pinned shards: the only assembly of that job. */
export interface Pins {
  /** Plans to pin shards of an integration to an image. Writes nothing. */
  pin(request: PinRequest): Promise<PlannedPins>;
  /** Plans to unpin shards. Writes nothing. */
  unpin(request: UnpinRequest): Promise<PlannedPins>;
  /** Writes a plan into the integration's file. */
  apply(planned: PlannedPins): void;
  list(request: PinsRequest): Promise<PinList>;
}

export function openPins(ports: PinPorts): Pins {
  return {
    pin: (request) => plannedPin(ports, request),
    unpin: (request) => plannedUnpin(ports, request),
    apply: (planned) => writePins(ports, planned),
    list: (request) => listPinned(ports, request),
  };
}

/** Shards of an integration, selected in exactly one of these ways. */
export interface NamedShards {
  readonly integration: string;
  readonly entries: EntryChoice;
  readonly shard?: readonly string[];
  readonly except?: readonly string[];
}

interface PinRequest extends NamedShards {
  /** A tag; `current` or absent for each shard's currently declared image. */
  readonly image?: string;
  readonly note: PinNote;
}

interface UnpinRequest extends NamedShards {
  readonly all?: boolean;
}

/** The planned changes and their instance. */
export interface PlannedPins {
  readonly instance: Instance;
  readonly plan: PinPlan;
}

async function plannedPin(ports: PinPorts, request: PinRequest): Promise<PlannedPins> {
  const { image, note } = request;
  const shards = shardChoice(request, '--shard and --except');
  return decided(ports, request, (subject) =>
    planPin({ ...subject, shards }, image === 'current' ? undefined : image, note),
  );
}

async function plannedUnpin(ports: PinPorts, request: UnpinRequest): Promise<PlannedPins> {
  const shards = shardChoice(request, '--shard, --except and --all');
  return decided(ports, request, (subject) => planUnpin({ ...subject, shards }));
}

/** Writes a plan into the integration's file. */
function writePins({ files }: PinPorts, { instance, plan: { file, before, after } }: PlannedPins): void {
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

/** Filters for pins; all by default. */
interface PinsRequest {
  readonly integration?: readonly string[];
  readonly environment?: readonly string[];
  readonly cluster?: readonly string[];
  readonly namespace?: readonly string[];
  /** Milliseconds. */
  readonly olderThan?: number;
  readonly expired?: boolean;
  /** Also observe the clusters. */
  readonly live?: boolean;
}

export interface ListedPin {
  readonly pin: Pin;
  /** Absent if unknown. */
  readonly since?: Date;
  readonly expired: boolean;
  readonly live?: LivePin;
}

export interface PinList {
  readonly instance: Instance;
  readonly pins: readonly ListedPin[];
  /** A shard does not run its pinned image, or a namespace could not be observed. */
  readonly wrong: boolean;
  /** Reference time for ages. */
  readonly now: Date;
}

const FILES_AT_ONCE = 4;

/** Pins with their age and reason; with `live` also whether the shards run the pinned image. */
async function listPinned(ports: PinPorts, request: PinsRequest): Promise<PinList> {
  const now = ports.now();
  const instance = await ports.loadInstance();
  requireNames('environment', request.environment, environmentNames(instance));
  requireNames(
    'integration',
    request.integration,
    instance.integrations.map(({ name }) => name),
  );
  const wanted = listPins(instance).filter(isWanted(request));
  const aged = await withAge(wanted, ageOf(ports, instance), now);
  const pins = aged.filter(isOldEnough(request, now));
  if (request.live !== true) return { instance, pins, wrong: false, now };
  const live = await ports.observe(
    instance,
    pins.map(({ pin }) => pin),
  );
  const observed = pins.map((listed) => ({ ...listed, live: live.of(listed.pin) }));
  const wrong = live.failed || observed.some(({ live: { obeys } }) => obeys === false);
  return { instance, pins: observed, wrong, now };
}

function isWanted({ integration, environment, cluster, namespace }: PinsRequest): (pin: Pin) => boolean {
  return (pin) =>
    passes(integration, pin.integration) &&
    passes(environment, pin.environment) &&
    passes(cluster, pin.cluster) &&
    passes(namespace, pin.namespace);
}

function isOldEnough({ olderThan, expired: onlyExpired }: PinsRequest, now: Date): (listed: ListedPin) => boolean {
  return ({ since, expired }) =>
    (onlyExpired !== true || expired) &&
    (olderThan === undefined || (since !== undefined && now.getTime() - since.getTime() > olderThan));
}

/** Git knows the age of lines in a working tree; a bundle or server does not. */
function ageOf({ lineDates }: PinPorts, { snapshot }: Instance): LineDate {
  return snapshot.kind === 'directory' ? lineDates(snapshot.origin) : () => Promise.resolve(undefined);
}

function withAge(found: readonly Pin[], age: LineDate, now: Date): Promise<ListedPin[]> {
  return mapLimited(found, FILES_AT_ONCE, async (pin): Promise<ListedPin> => {
    const since = pin.line === undefined ? undefined : await age(`data${pin.file}`, pin.line);
    return { pin, expired: isExpired(pin, now), ...defined({ since }) };
  });
}
