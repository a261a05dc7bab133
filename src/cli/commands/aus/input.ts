import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ZodType } from 'zod';
import { EchelonError, humanBytes } from '../../../base/index.ts';
import { documentFault, parsedDocument } from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import { flagInvalid } from './write-labels.ts';

/** Reads all of standard input. */
export type ReadStdin = () => Promise<string>;

const MAX_INPUT_BYTES = 16 * 1024 * 1024;
const STANDARD_INPUT = 'standard input';

export const standardInput: ReadStdin = () => textOf(process.stdin);

/** Stops reading at the maximum size. */
export async function textOf(stream: AsyncIterable<Buffer | string>, most = MAX_INPUT_BYTES): Promise<string> {
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

export interface InputFlags {
  /** The argument of the command: `-` is standard input. */
  readonly from?: string;
  readonly filename?: string;
}

/** The given document, or undefined when flags are used instead. */
export async function readInput<T>(
  io: Io,
  { from, filename }: InputFlags,
  shape: ZodType<T>,
  stdin: ReadStdin,
): Promise<T | undefined> {
  const source = filename ?? from;
  if (source === undefined) return undefined;
  if (filename !== undefined && from !== undefined && filename !== from)
    throw flagInvalid(`both - and --filename ${filename} given`, 'remove one of them');
  const name = source === '-' ? STANDARD_INPUT : source;
  const content = source === '-' ? await stdin() : await contentOf(resolve(io.cwd, source), name);
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
    const { size } = await stat(path);
    if (size > MAX_INPUT_BYTES) throw tooLarge(name, MAX_INPUT_BYTES);
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (thrown instanceof EchelonError) throw thrown;
    throw documentFault(`cannot read ${name}: ${(thrown as NodeJS.ErrnoException).code}`);
  }
}

function tooLarge(name: string, most: number): EchelonError {
  return documentFault(`${name} is larger than ${humanBytes(most)}`);
}
