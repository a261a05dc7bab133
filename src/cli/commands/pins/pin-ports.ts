import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFiles } from '../../../clients/files/index.ts';
import { lineDates } from '../../../clients/git/index.ts';
import type { Instance } from '../../../instance/index.ts';
import { openPins, type PinPorts, type Pins } from '../../../promotion/index.ts';

/** Files of folders on this machine. */
export const LOCAL_FILES: PinPorts['files'] = {
  read: (folder, file) => readFileSync(join(folder, file)),
  replace: replaceFiles,
};

/** The pins of an instance in a local folder; `observe` is only needed for live state. */
export function pinsOf(
  loadInstance: () => Promise<Instance>,
  { observe = unobserved, now = () => new Date() }: Partial<Pick<PinPorts, 'observe' | 'now'>> = {},
): Pins {
  return openPins({
    loadInstance,
    files: LOCAL_FILES,
    lineDates,
    observe,
    now,
  });
}

async function unobserved(): Promise<never> {
  throw new Error('no cluster is observed for this');
}
