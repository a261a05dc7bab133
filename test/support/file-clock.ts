import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What changes in the file system of a folder from here on gets a later time than what was before: its clock moves in steps. */
export function untilFilesAreLater(folder: string): void {
  const probe = join(folder, 'probe');
  const timeOf = (): number => {
    writeFileSync(probe, '');
    utimesSync(probe, 1, 1);
    return statSync(probe).ctimeMs;
  };
  const before = timeOf();
  while (timeOf() === before);
}
