import type { PolicyFinding } from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import type { Paint } from '../../output/colour.ts';
import { line } from '../../output/terminal.ts';

export function writeFindings(io: Io, findings: readonly PolicyFinding[], paint: Paint): void {
  for (const { severity, cluster, key, message, hint } of findings) {
    const whose = cluster === undefined ? '' : `${cluster}: `;
    const what = paint(severity === 'error' ? 'red' : 'yellow', `${severity}:`);
    io.stderr.write(line(`${what} ${whose}${key}: ${message}`) + line(`    ${hint}`));
  }
}
