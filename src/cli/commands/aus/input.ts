import * as files from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ZodType } from 'zod';
import { defined, EchelonError, humanBytes } from '../../../base/index.ts';
import { createOcmClient } from '../../../clients/ocm/index.ts';
import { documentFault, openPolicies, type PolicyService, parsedDocument, userLogin } from '../../../upgrades/index.ts';
import type { Context } from '../../context.ts';
import { readFile } from '../../instance.ts';
import { version } from '../../io.ts';
import type { AusDocumentFlags, AusFlags } from './commands.ts';

type InputFlags = Pick<AusDocumentFlags, 'from' | 'filename'>;

const MAX_INPUT_BYTES = 16 * 1024 * 1024;
const STANDARD_INPUT = 'standard input';

/** Stops reading at the maximum size. */
export async function textOf(
  stream: AsyncIterable<Buffer | string> | Iterable<string>,
  most = MAX_INPUT_BYTES,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as string);
    size += bytes.length;
    if (size > most) throw tooLarge(STANDARD_INPUT, most);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The given document, or undefined when flags are used instead. */
export async function readInput<T>(
  ctx: Context,
  { from, filename }: InputFlags,
  shape: ZodType<T>,
): Promise<T | undefined> {
  const source = filename ?? from;
  if (source === undefined) return undefined;
  if (filename !== undefined && from !== undefined && filename !== from)
    throw flagInvalid(`both - and --filename ${filename} given`, 'remove one of them');
  const name = source === '-' ? STANDARD_INPUT : source;
  const content = source === '-' ? await textOf(ctx.stdin?.() ?? []) : await contentOf(resolve(ctx.cwd, source), name);
  return parsedDocument(content, name, shape);
}

/** A flag beside a document would be ignored silently. */
export function refuseBeside({ from, filename }: InputFlags, flags: Readonly<Record<string, unknown>>): void {
  const source = filename ?? from;
  const [beside] = Object.entries(flags).filter(([, value]) => value !== undefined);
  if (source === undefined || beside === undefined) return;
  throw flagInvalid(
    `${beside[0]} has no effect beside ${source === '-' ? STANDARD_INPUT : source}`,
    'put it into the document, or remove the document',
  );
}

async function contentOf(path: string, name: string): Promise<string> {
  try {
    const { size } = await files.stat(path);
    if (size > MAX_INPUT_BYTES) throw tooLarge(name, MAX_INPUT_BYTES);
    return await files.readFile(path, 'utf8');
  } catch (thrown) {
    if (thrown instanceof EchelonError) throw thrown;
    throw documentFault(`cannot read ${name}: ${(thrown as NodeJS.ErrnoException).code}`);
  }
}

function tooLarge(name: string, most: number): EchelonError {
  return documentFault(`${name} is larger than ${humanBytes(most)}`);
}

export function flagInvalid(message: string, hint: string): EchelonError {
  return new EchelonError({ code: 'FLAG_INVALID', message, hint });
}

/** The policies of an organization in the user's OCM. With read-only, every write is refused before it is sent. */
export function openAus(
  ctx: Context,
  flags: AusFlags,
  { readOnly }: { readonly readOnly: boolean },
): { readonly service: PolicyService; readonly url: string } {
  const { env, signal } = ctx;
  const { url, credentials, tokenUrl } = userLogin({ ...ctx, readFile }, flags);
  const client = createOcmClient({
    ...{ url, credentials, readOnly, env, signal, userAgent: `echelon/${version()}` },
    ...defined({ tokenUrl }),
  });
  return { service: openPolicies(client, flags.orgId), url };
}
