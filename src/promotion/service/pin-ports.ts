import type { FileEdit, Instance } from '../../instance/index.ts';
import type { Pin } from '../pins/list-pins.ts';
import type { GitPort } from './git-port.ts';

/** The live state of a pinned shard. */
export interface LivePin {
  /** Absent if unknown. */
  readonly obeys?: boolean;
  readonly text: string;
}

export interface LivePins {
  of(pin: Pin): LivePin;
  /** A namespace could not be observed. */
  readonly failed: boolean;
}

/** What pins need from outside. */
export interface PinPorts {
  readonly loadInstance: () => Promise<Instance>;
  readonly files: {
    /** The bytes of a file in a folder. */
    read(folder: string, file: string): Uint8Array;
    /** Replaces files, all or none; fails if one changed since it was read. */
    replace(folder: string, edits: readonly FileEdit[]): void;
  };
  readonly lineDates: GitPort['lineDates'];
  /** Observes an instance's pins on their clusters. Writes nothing. */
  readonly observe: (instance: Instance, pins: readonly Pin[]) => Promise<LivePins>;
  readonly now: () => Date;
}
