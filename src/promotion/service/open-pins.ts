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

/** Shards that keep an image of their own: the only assembly of that job. */
export interface Pins {
  /** Plans to keep shards of an integration on an image. Nothing is written. */
  pin(request: PinRequest): Promise<PlannedPins>;
  /** Plans to let them move on. Nothing is written. */
  unpin(request: UnpinRequest): Promise<PlannedPins>;
  /** Writes a plan into the file of the integration. */
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
