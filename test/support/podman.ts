import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A podman that keeps images and containers to itself. */
export interface Podman {
  /** For PATH. */
  readonly bin: string;
  run(args: readonly string[]): string;
  /** Ends what runs and removes the folder with everything in it. */
  dispose(): void;
}

export interface PodmanOptions {
  /** Of images and containers. */
  readonly scratch: string;
  /** The storage drivers to try, the preferred one first. */
  readonly drivers?: readonly string[];
  /** A folder with helper programs of podman, besides those of the machine. */
  readonly helpers?: string;
  /** Makes the image of that name, with a program that ends. */
  readonly probe: { readonly image: string; make(podman: Podman): void };
}

interface Way {
  readonly prefix: string;
  readonly limits: boolean;
}

/**
 * Ways to run podman, the plain one first. A machine without CAP_SYS_RESOURCE cannot raise limits; crun refuses cgroups of both
 * versions at once, so that podman gets a mount namespace of its own without the second.
 */
const WAYS: readonly Way[] = [
  { prefix: 'exec', limits: false },
  { prefix: 'exec', limits: true },
  {
    prefix: `exec unshare --mount --propagation private sh -c 'umount /sys/fs/cgroup/unified; exec "$@"' sh`,
    limits: true,
  },
];

const HELPERS = ['/usr/local/libexec/podman', '/usr/local/lib/podman', '/usr/libexec/podman', '/usr/lib/podman'];
const TIMEOUT_MS = 300_000;

/** The first way to run podman that works on this machine, or why none does. */
export function findPodman(options: PodmanOptions): Podman | string {
  const { drivers = ['vfs'], probe } = options;
  let why = '';
  for (const driver of drivers) {
    for (const [index, way] of WAYS.entries()) {
      try {
        const podman = podmanOf(options, driver, index, way);
        if (index === 0) probe.make(podman);
        podman.run(['run', '--rm', '--pull=never', '--network=none', probe.image]);
        return podman;
      } catch (thrown) {
        why = lastLine(thrown);
      }
    }
  }
  return why;
}

function podmanOf({ scratch, helpers }: PodmanOptions, driver: string, index: number, way: Way): Podman {
  const [bin, store] = [join(scratch, `bin-${driver}-${index}`), join(scratch, `store-${driver}`)];
  const config = join(bin, 'containers.conf');
  mkdirSync(bin);
  writeFileSync(config, configOf(way.limits, helpers));
  const variables = `CONTAINERS_CONF='${config}' PATH='${process.env['PATH'] ?? ''}'`;
  const podman = `podman --root '${store}/root' --runroot '${store}/run' --storage-driver ${driver}`;
  const script = `#!/bin/sh\n${way.prefix} /usr/bin/env -u XDG_CACHE_HOME ${variables} ${podman} "$@"\n`;
  writeFileSync(join(bin, 'podman'), script, { mode: 0o755 });
  const run = (args: readonly string[]): string => call(join(bin, 'podman'), args, scratch);
  const dispose = (): void => {
    run(['pod', 'rm', '--all', '--force', '--time', '0']);
    // The driver mounts its folder onto itself, for this process too where podman has no namespace of its own.
    spawnSync('umount', [join(store, 'root', driver)], { stdio: 'ignore' });
    rmSync(scratch, { recursive: true, force: true });
  };
  return { bin, run, dispose };
}

function configOf(limits: boolean, helpers: string | undefined): string {
  const ulimits = limits ? ['nofile=1024:1024', 'nproc=1024:1024'] : [];
  const folders = [...(helpers === undefined ? [] : [helpers]), ...HELPERS];
  return [
    '[containers]',
    ...(limits ? [`default_ulimits = ${JSON.stringify(ulimits)}`] : []),
    '[engine]',
    'cgroup_manager = "cgroupfs"',
    'events_logger = "file"',
    `helper_binaries_dir = ${JSON.stringify(folders)}`,
    '',
  ].join('\n');
}

function call(file: string, args: readonly string[], cwd: string): string {
  return execFileSync(file, args, { cwd, encoding: 'utf8', stdio: 'pipe', timeout: TIMEOUT_MS });
}

function lastLine(thrown: unknown): string {
  const { stderr, message } = thrown as { stderr?: string; message: string };
  return (stderr || message).trim().split('\n').at(-1) ?? '';
}
