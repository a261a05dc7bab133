import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { inTurns, timeCommand } from './measure.ts';
import { REPO } from './part.ts';
import { type Row, timeText } from './row.ts';

/** What a command is measured beside: a process of the same Node. */
export interface PeerProcess {
  readonly name: string;
  readonly args: readonly string[];
  readonly how: string;
}

/** What one of them takes, and how it is measured. */
interface Start {
  readonly what: string;
  readonly bin: string;
  readonly args: readonly string[];
  readonly peer: PeerProcess;
  readonly rounds: number;
  readonly atMost?: number;
}

/** What is compared with has its code compiled before, too. */
const COMPILED = { ...process.env, NODE_COMPILE_CACHE: join(REPO, '.cache/node') };

export function bareNode(): PeerProcess {
  return { name: 'node -e 0', args: ['-e', '0'], how: `Node ${process.version}, nothing loaded.` };
}

/** Packs the checkout and installs it below a folder. */
export function installedIn(folder: string): string {
  const prefix = join(folder, 'installed');
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: REPO, stdio: 'inherit' });
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: REPO });
  execFileSync('npm', ['install', '--silent', '--no-save', '--prefix', prefix, join(folder, 'echelon-0.1.0.tgz')]);
  return join(prefix, 'node_modules/.bin/echelon');
}

/** A command that has run once before, with a cache below the folder. */
export function started(folder: string, { what, bin, args, peer, rounds, atMost }: Start): Row {
  const env = { ...process.env, ECHELON_CACHE: join(folder, 'cache') };
  const time = (): number => timeCommand(bin, args, env);
  time();
  const { ratio, measured, baseline } = inTurns(rounds, time, () => timeCommand(process.execPath, peer.args, COMPILED));
  return {
    ...{ what, echelon: timeText(measured), ratio },
    peer: { name: peer.name, measured: timeText(baseline), how: peer.how },
    ...(atMost !== undefined && { limit: { atMost } }),
  };
}
