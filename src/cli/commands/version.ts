import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defined } from '../../base/index.ts';
import { describeWorkingTree } from '../../clients/git/index.ts';
import { EXIT } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { PLAIN } from '../output/colour.ts';
import { API_VERSION } from '../output/format.ts';
import { documentWriters, writerFor } from '../output/writers.ts';
import { version } from '../version.ts';

type VersionFacts = Awaited<ReturnType<typeof facts>>;

const WRITERS = {
  text: (io: Io, { version: number, commit = 'unknown', dirty, node }: VersionFacts) => {
    const changed = dirty === true ? ', with local changes' : '';
    io.stdout.write(`echelon ${number}\ncommit  ${commit}${changed}\nnode    ${node}\n`);
  },
  ...documentWriters((known: VersionFacts) => ({ apiVersion: API_VERSION, kind: 'Version', ...known })),
};
export type VersionFormat = keyof typeof WRITERS;

export async function printVersion(io: Io, format: VersionFormat): Promise<number> {
  await writerFor(WRITERS, format, 'version')(io, await facts(), PLAIN);
  return EXIT.ok;
}

async function facts() {
  return { version: version(), ...(await commitOf()), node: process.versions.node };
}

/** Of a checkout its commit; of a package the one that the build wrote. A package may be part of another repository. */
async function commitOf(): Promise<{ readonly commit?: string; readonly dirty?: boolean }> {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  if (existsSync(join(root, '.git'))) return (await describeWorkingTree(root, ['src', 'charts', 'package.json'])) ?? {};
  const file = join(root, 'dist', 'commit.txt');
  return defined({ commit: existsSync(file) ? readFileSync(file, 'utf8').trim() || undefined : undefined });
}
