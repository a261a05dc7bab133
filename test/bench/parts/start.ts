import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { inTurns, timeCommand } from '../measure.ts';
import { REPO } from '../part.ts';
import { type Row, timeText } from '../row.ts';

const STARTS = 15;

/** What a user waits for before anything happens, from the checkout and from an installed package. */
export function benchStart(folder: string): Row[] {
  const installed = join(folder, 'installed');
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: REPO, stdio: 'inherit' });
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: REPO });
  execFileSync('npm', ['install', '--silent', '--no-save', '--prefix', installed, join(folder, 'echelon-0.1.0.tgz')]);
  const started = (what: string, bin: string, args: readonly string[], atMost: number): Row => {
    const { ratio, measured, baseline } = inTurns(
      STARTS,
      () => timeCommand(bin, args),
      () => timeCommand(process.execPath, ['-e', '0']),
    );
    const peer = { name: 'node -e 0', measured: timeText(baseline) };
    return { what, echelon: timeText(measured), peer, ratio, limit: { atMost } };
  };
  return [
    started('echelon --help from the checkout', join(REPO, 'bin/echelon'), ['--help'], 2.5),
    started('echelon --help installed', join(installed, 'node_modules/.bin/echelon'), ['--help'], 2.5),
  ];
}
