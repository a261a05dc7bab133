import { createHash } from 'node:crypto';
import type { Command } from './program.ts';

interface ContainerOptions {
  readonly engine: 'podman' | 'docker';
  /** `repository:tag`, perhaps with a digest. */
  readonly image: string;
  /** Of the container; made safe and unique by the name of the check. */
  readonly name: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Variables for the container only: they do not change the engine's own environment. `variables` win. */
  readonly passed: Readonly<Record<string, string>>;
  /** Further options of `run`, such as volumes. */
  readonly engineArgs: readonly string[];
  /** Given to the entry point of the image. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

const LONGEST_NAME = 60;

/**
 * A run of a container that is removed when it ends. Values of variables are handed over without standing in a process
 * list, except passed ones that the environment does not have.
 */
export function containerCommand(options: ContainerOptions): Command {
  const { engine, image, variables, passed, engineArgs, args, env, cwd } = options;
  const name = containerName(options.name);
  const given = Object.entries(passed).flatMap(([variable, value]) => {
    if (Object.hasOwn(variables, variable)) return [];
    return ['--env', env[variable] === value ? variable : `${variable}=${value}`];
  });
  const named = Object.keys(variables).flatMap((variable) => ['--env', variable]);
  return {
    file: engine,
    // The last of equal variables counts: none that an engine argument sets replaces one of the run.
    args: ['run', '--rm', '--name', name, ...given, ...engineArgs, ...named, image, ...args],
    env: { ...env, ...variables },
    cwd,
    afterStop: ['rm', '--force', name],
  };
}

function containerName(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const safe = text.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '');
  return `${safe.slice(0, LONGEST_NAME) || 'run'}-${hash}`;
}
