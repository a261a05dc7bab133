import {
  type PinRequest,
  type PlannedPins,
  plannedPin,
  plannedUnpin,
  type UnpinRequest,
  writePins,
} from './change-pins.ts';
import { listPinned, type PinList, type PinsRequest } from './list-pinned.ts';
import type { PinPorts } from './pin-ports.ts';

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
