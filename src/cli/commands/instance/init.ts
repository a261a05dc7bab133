import { join, relative, resolve } from 'node:path';
import { count, defined, EchelonError } from '../../../base/index.ts';
import { createFiles } from '../../../clients/files/index.ts';
import { jsonSchemaOf, KINDS } from '../../../fields/index.ts';
import type { Instance } from '../../../instance/index.ts';
import {
  type InstanceAnswers,
  type IntegrationRequest,
  instanceAnswers,
  type NewFiles,
  newInstance,
  newIntegration,
  newRollouts,
  nextSteps,
} from '../../../scaffold/index.ts';
import { type InstanceFlags, instanceFolder, readFrom } from '../../instance.ts';
import { asker, EXIT, type Io } from '../../io.ts';
import { line } from '../../output/terminal.ts';

interface WriteFlags {
  readonly dryRun?: boolean;
}

export interface InitInstanceFlags extends WriteFlags, Partial<InstanceAnswers> {
  readonly full?: boolean;
  readonly yes?: boolean;
}

/** Writes a new instance into a folder. */
export async function initInstance(io: Io, folder: string, flags: InitInstanceFlags): Promise<number> {
  const answers = await instanceAnswers(flags, flags.yes === true ? undefined : asker(io));
  write(io, folder, newInstance(answers, { full: flags.full === true, schemaOf }), flags);
  if (flags.dryRun === true) return EXIT.ok;
  io.stdout.write(nextSteps(relative(io.cwd, resolve(io.cwd, folder)), answers.cluster));
  return EXIT.ok;
}

function schemaOf(kind: string): string | undefined {
  const found = KINDS.find(({ name }) => name === kind);
  return found === undefined ? undefined : `${JSON.stringify(jsonSchemaOf(found), undefined, 2)}\n`;
}

export interface InitIntegrationFlags extends WriteFlags, InstanceFlags, Omit<IntegrationRequest, 'name'> {}

/** Adds an integration to an instance. */
export async function initIntegration(io: Io, name: string, flags: InitIntegrationFlags): Promise<number> {
  const { namespace, description, shards, upstream } = flags;
  const request = { name, ...defined({ namespace, description, shards, upstream }) };
  const [root, instance] = await readFolder(io, flags);
  write(io, root, newIntegration(instance, request), flags);
  return EXIT.ok;
}

/** Adds a first rollouts.yml to an instance. */
export async function initRollouts(io: Io, flags: WriteFlags & InstanceFlags): Promise<number> {
  const [root, instance] = await readFolder(io, flags);
  write(io, root, newRollouts(instance), flags);
  return EXIT.ok;
}

async function readFolder(io: Io, flags: InstanceFlags): Promise<readonly [root: string, Instance]> {
  const root = instanceFolder(io, flags);
  if (root !== undefined) return [root, await readFrom(io, { ...flags, data: root })];
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: 'only an instance in a folder can be added to',
    hint: 'pass the folder of a clone with --data',
  });
}

/** All files or none; with `--dry-run` their texts. */
function write(io: Io, folder: string, files: NewFiles, { dryRun }: WriteFlags): void {
  if (dryRun === true) {
    for (const [file, text] of files) io.stdout.write(`--- ${file}\n${text}`);
    return;
  }
  createFiles(resolve(io.cwd, folder), files);
  io.stdout.write(`Wrote ${count(files.size, 'file')}:\n`);
  for (const file of files.keys()) io.stdout.write(line(`  ${join(relative(io.cwd, resolve(io.cwd, folder)), file)}`));
}
