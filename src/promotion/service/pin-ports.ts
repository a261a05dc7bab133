import type { Instance } from '../../instance/index.ts';
import type { Pin } from '../pins/list-pins.ts';
import type { FileEdit } from '../plan/plan-edits.ts';
import type { GitPort } from './git-port.ts';

/** How a pinned shard does on its cluster. */
export interface LivePin {
  /** Absent where that could not be found out. */
  readonly obeys?: boolean;
  readonly text: string;
}

export interface LivePins {
  of(pin: Pin): LivePin;
  /** Some place could not be observed. */
  readonly failed: boolean;
}

/** What pins need of the world around them. */
export interface PinPorts {
  readonly loadInstance: () => Promise<Instance>;
  readonly files: {
    /** The bytes of a file below a folder. */
    read(folder: string, file: string): Uint8Array;
    /** Replaces files, all or none; one that changed since it was read is refused. */
    replace(folder: string, edits: readonly FileEdit[]): void;
  };
  readonly lineDates: GitPort['lineDates'];
  /** How the pins of an instance do on their clusters; nothing is written anywhere. */
  readonly observe: (instance: Instance, pins: readonly Pin[]) => Promise<LivePins>;
  readonly now: () => Date;
}
