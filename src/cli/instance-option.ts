import { statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { defined } from '../base/index.ts';
import { describeWorkingTree } from '../clients/git/index.ts';
import type { QontractClient } from '../clients/qontract-server/index.ts';
import type { InstanceSource } from '../instance/index.ts';
import { openInstance } from '../instance/index.ts';
import { type Config, readConfig } from './config.ts';
import type { Io } from './io.ts';

export interface InstanceFlags {
  readonly data?: string;
  readonly config?: string;
}

/** The instance of a command: `--data`, then ECHELON_DATA, then the server of config.toml, then the current folder. */
export async function instanceSource(io: Io, flags: InstanceFlags): Promise<InstanceSource> {
  const given = flags.data ?? nonEmpty(io.env['ECHELON_DATA']);
  const config = given === undefined || isUrl(given) ? await readConfig(io, flags.config) : {};
  const name = given ?? config.graphql?.server ?? '.';
  return openInstance(isUrl(name) ? name : shortPath(io.cwd, name), {
    workingTree: { describe: describeWorkingTree },
    server: isUrl(name) ? await serverOf(io, config) : noServer,
  });
}

/** The folder of an instance that is one. */
export function instanceFolder(io: Io, flags: InstanceFlags): string | undefined {
  const name = flags.data ?? nonEmpty(io.env['ECHELON_DATA']) ?? '.';
  const folder = resolve(io.cwd, name);
  return !isUrl(name) && statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? folder : undefined;
}

/** The client is loaded only if the instance is on a server. */
async function serverOf(io: Io, config: Config): Promise<(url: string) => QontractClient> {
  const { qontractClient } = await import('../clients/qontract-server/index.ts');
  return (url) => {
    const token = tokenFor(url, io, config);
    if (token !== undefined) io.onSecret?.(token);
    return qontractClient({ url, signal: io.signal, ...defined({ token }) });
  };
}

function noServer(): never {
  throw new Error('a folder has no server');
}

/** Messages show the shortest path that works from the current folder. */
export function shortPath(cwd: string, name: string): string {
  const full = resolve(cwd, name);
  const near = relative(process.cwd(), full);
  return near === '' ? '.' : near.startsWith('..') ? full : near;
}

/** The token of the configuration is sent only to the server of the configuration. */
function tokenFor(url: string, { env }: Io, { graphql }: Config): string | undefined {
  const given = nonEmpty(env['ECHELON_GRAPHQL_TOKEN']);
  if (given !== undefined) return given;
  if (graphql?.server === undefined || graphql.token === undefined) return undefined;
  return originOf(graphql.server) === originOf(url) ? graphql.token : undefined;
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

function isUrl(name: string): boolean {
  return /^https?:\/\//i.test(name);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
