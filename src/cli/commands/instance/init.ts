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
import type { Context } from '../../context.ts';
import { type InstanceFlags, instanceFolder, readFrom } from '../../instance.ts';
import { asker, EXIT } from '../../io.ts';
import { line } from '../../output/terminal.ts';

interface WriteFlags {
  readonly dryRun?: boolean;
}

export interface InitInstanceFlags extends WriteFlags, Partial<InstanceAnswers> {
  readonly full?: boolean;
  readonly yes?: boolean;
}

/** Writes a new instance into a folder. */
export async function initInstance(ctx: Context, folder: string, flags: InitInstanceFlags): Promise<number> {
  const answers = await instanceAnswers(flags, flags.yes === true ? undefined : asker(ctx));
  write(ctx, folder, newInstance(answers, { full: flags.full === true, schemaOf }), flags);
  if (flags.dryRun === true) return EXIT.ok;
  ctx.out.write(nextSteps(relative(ctx.cwd, resolve(ctx.cwd, folder)), answers.cluster));
  return EXIT.ok;
}

function schemaOf(kind: string): string | undefined {
  const found = KINDS.find(({ name }) => name === kind);
  return found === undefined ? undefined : `${JSON.stringify(jsonSchemaOf(found), undefined, 2)}\n`;
}

export interface InitIntegrationFlags extends WriteFlags, InstanceFlags, Omit<IntegrationRequest, 'name'> {}

/** Adds an integration to an instance. */
export async function initIntegration(ctx: Context, name: string, flags: InitIntegrationFlags): Promise<number> {
  const { namespace, description, shards, upstream } = flags;
  const request = { name, ...defined({ namespace, description, shards, upstream }) };
  const [root, instance] = await readFolder(ctx, flags);
  write(ctx, root, newIntegration(instance, request), flags);
  return EXIT.ok;
}

/** Adds a first rollouts.yml to an instance. */
export async function initRollouts(ctx: Context, flags: WriteFlags & InstanceFlags): Promise<number> {
  const [root, instance] = await readFolder(ctx, flags);
  write(ctx, root, newRollouts(instance), flags);
  return EXIT.ok;
}

async function readFolder(ctx: Context, flags: InstanceFlags): Promise<readonly [root: string, Instance]> {
  const root = instanceFolder(ctx, flags);
  if (root !== undefined) return [root, await readFrom(ctx, { ...flags, data: root })];
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: 'only an instance in a folder can be added to',
    hint: 'pass the folder of a clone with --data',
  });
}

/** All files or none; with `--dry-run` their texts. */
function write(ctx: Context, folder: string, files: NewFiles, { dryRun }: WriteFlags): void {
  if (dryRun === true) {
    for (const [file, text] of files) ctx.out.write(`--- ${file}\n${text}`);
    return;
  }
  createFiles(resolve(ctx.cwd, folder), files);
  ctx.out.write(`Wrote ${count(files.size, 'file')}:\n`);
  for (const file of files.keys()) ctx.out.write(line(`  ${join(relative(ctx.cwd, resolve(ctx.cwd, folder)), file)}`));
}
