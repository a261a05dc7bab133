import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { EchelonError, type Json, messageOf } from '../base/index.ts';
import type { Io } from './io.ts';

/** The settings that Echelon reads from the `config.toml` of the existing tools. */
export interface Config {
  readonly graphql?: { readonly server?: string; readonly token?: string };
  /** The whole file, for secrets stored in it. */
  readonly all?: Json;
}

/** The file given by a flag or the environment; without a file there are no settings. */
export async function readConfig(io: Io, flag: string | undefined): Promise<Config> {
  const file = flag || io.env['ECHELON_CONFIG'] || io.env['QONTRACT_CONFIG'];
  if (file === undefined || file === '') return {};
  const text = readText(resolve(io.cwd, file), file);
  const { parse } = await import('smol-toml');
  try {
    const all = parse(text);
    return { ...checked(all, file), all };
  } catch (thrown) {
    if (thrown instanceof EchelonError) throw thrown;
    // Without its cause, which has the lines around the error in it, and with them maybe a secret.
    throw configError(`${file} is not valid TOML: ${messageOf(thrown).split('\n')[0]}`);
  }
}

function readText(location: string, name: string): string {
  try {
    return readFileSync(location, 'utf8');
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    throw configError(
      `cannot read configuration file ${name}: ${code}`,
      thrown,
      name.startsWith('/config/') ? MOUNT : HINT,
    );
  }
}

function checked(parsed: Readonly<Record<string, unknown>>, file: string): Config {
  const graphql = parsed['graphql'];
  if (graphql === undefined) return {};
  if (typeof graphql !== 'object' || graphql === null) throw configError(`${file}: graphql must be a section`);
  const { server, token } = graphql as Record<string, unknown>;
  for (const [key, value] of Object.entries({ server, token })) {
    if (value !== undefined && typeof value !== 'string') throw configError(`${file}: graphql.${key} must be text`);
  }
  return {
    graphql: {
      ...(typeof server === 'string' ? { server } : {}),
      ...(typeof token === 'string' ? { token } : {}),
    },
  };
}

const HINT = 'pass a config.toml with [graphql] server and token with --config, ECHELON_CONFIG or QONTRACT_CONFIG';
const MOUNT =
  'create it, in a pod the secret that is mounted there (qontract-reconcile-toml), or pass another with --config';

function configError(message: string, cause?: unknown, hint = HINT): EchelonError {
  return new EchelonError({
    code: 'CONFIG_INVALID',
    message,
    hint,
    cause,
  });
}
