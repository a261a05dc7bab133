import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { generateInstance } from '../generate-instance.ts';
import { inTurns, timeCommand } from '../measure.ts';
import { REPO, script } from '../part.ts';
import { packageVersion } from '../peer-versions.ts';
import { type Row, timeText } from '../row.ts';

const STARTS = 15;
/** Beside what takes longer, and so varies less. */
const LONG_STARTS = 9;
/** Of rows that are far from a limit, or have none. */
const FEW_STARTS = 3;
const FILES = 5_000;
const EXAMPLE = join(REPO, 'examples/instance');
const SCHEMAS = join(REPO, '../shared/contracts/qontract/schemas');

/** What a user waits for before anything happens, from the checkout and from an installed package, and with kept answers. */
export function benchStart(folder: string): Row[] {
  const prefix = join(folder, 'installed');
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: REPO, stdio: 'inherit' });
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: REPO });
  execFileSync('npm', ['install', '--silent', '--no-save', '--prefix', prefix, join(folder, 'echelon-0.1.0.tgz')]);
  const installed = join(prefix, 'node_modules/.bin/echelon');
  const env = { ...process.env, ECHELON_CACHE: join(folder, 'cache') };
  const node = { name: 'node -e 0', args: ['-e', '0'], how: `Node ${process.version}, nothing loaded.` };
  const started = (
    what: string,
    bin: string,
    args: readonly string[],
    atMost: number | undefined,
    peer = node,
    rounds = peer === node ? STARTS : LONG_STARTS,
  ): Row => {
    timeCommand(bin, args, env);
    const { ratio, measured, baseline } = inTurns(
      rounds,
      () => timeCommand(bin, args, env),
      () => timeCommand(process.execPath, peer.args, COMPILED),
    );
    const beside = { name: peer.name, measured: timeText(baseline), how: peer.how };
    return {
      what,
      echelon: timeText(measured),
      peer: beside,
      ratio,
      ...(atMost !== undefined && { limit: { atMost } }),
    };
  };
  const large = join(folder, 'large');
  const files = generateInstance(EXAMPLE, large, FILES);
  const parsing = {
    ...{ name: 'bare parsing, a process', args: [script('bare-parse.ts'), large] },
    how: `js-yaml ${packageVersion('js-yaml')} with its defaults: every file read and parsed, nothing else, with the start of Node ${process.version}.`,
  };
  /** A byte more of one file, before each run. */
  const changed = (bin: string, args: readonly string[]): Row => {
    const time = () => {
      appendFileSync(join(large, 'data/aws/payments/account.yml'), '\n');
      return timeCommand(bin, args, env);
    };
    time();
    const bare = () => timeCommand(process.execPath, parsing.args, COMPILED);
    const { ratio, measured, baseline } = inTurns(FEW_STARTS, time, bare);
    return {
      what: `echelon validate --schemas installed, one file of ${files} changed`,
      echelon: timeText(measured),
      peer: { name: parsing.name, measured: timeText(baseline), how: parsing.how },
      ratio,
      limit: { atMost: 3 },
    };
  };
  const inGit = (measure: () => Row): Row => {
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: large });
    git('init', '--quiet');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'all');
    try {
      return measure();
    } finally {
      rmSync(join(large, '.git'), { recursive: true });
    }
  };
  return [
    started('echelon --help from the checkout', join(REPO, 'bin/echelon'), ['--help'], 2),
    started('echelon --help installed', installed, ['--help'], 2),
    started(
      'echelon get integrations installed, of the example',
      installed,
      ['get', 'integrations', '--data', EXAMPLE],
      3,
    ),
    started('echelon validate installed, of the example', installed, ['validate', '--data', EXAMPLE], 3),
    started(
      `echelon validate installed, ${files} unchanged files`,
      installed,
      ['validate', '--data', large],
      0.3,
      parsing,
    ),
    inGit(() =>
      started(
        `echelon validate installed, ${files} unchanged files in a clone of git, which is asked what changed`,
        ...([installed, ['validate', '--data', large], undefined, parsing, FEW_STARTS] as const),
      ),
    ),
    ...(existsSync(SCHEMAS) ? [changed(installed, ['validate', '--data', large, '--schemas', SCHEMAS])] : []),
  ];
}

/** What is compared with has its code compiled before, too. */
const COMPILED = { ...process.env, NODE_COMPILE_CACHE: join(REPO, '.cache/node') };
