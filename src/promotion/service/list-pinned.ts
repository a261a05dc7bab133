import { defined, mapLimited, passes, requireNames } from '../../base/index.ts';
import { environmentNames, type Instance } from '../../instance/index.ts';
import { listPins, type Pin } from '../pins/list-pins.ts';
import { isExpired } from '../pins/note.ts';
import type { LineDate } from './git-port.ts';
import type { LivePin, PinPorts } from './pin-ports.ts';

/** Filters for pins; all by default. */
export interface PinsRequest {
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
export async function listPinned(ports: PinPorts, request: PinsRequest): Promise<PinList> {
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
