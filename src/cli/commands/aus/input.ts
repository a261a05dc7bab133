import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { EchelonError, humanBytes, messageOf } from '../../../base/index.ts';
import type { Io } from '../../io.ts';

/** Reads all of standard input. */
export type ReadStdin = () => Promise<string>;

export const standardInput: ReadStdin = () => text(process.stdin);

const MAX_INPUT_BYTES = 16 * 1024 * 1024;

export interface InputFlags {
  /** The argument of the command: `-` is standard input. */
  readonly from?: string;
  readonly filename?: string;
}

/** The document that a command was given, or undefined when it was given flags instead. */
export async function readInput<T>(
  io: Io,
  { from, filename }: InputFlags,
  shape: z.ZodType<T>,
  stdin: ReadStdin,
): Promise<T | undefined> {
  const source = filename ?? from;
  if (source === undefined) return undefined;
  const name = source === '-' ? 'standard input' : source;
  const content = source === '-' ? await stdin() : await contentOf(resolve(io.cwd, source), name);
  if (content.length > MAX_INPUT_BYTES) throw invalid(`${name} is larger than ${humanBytes(MAX_INPUT_BYTES)}`);
  const result = shape.safeParse(parse(content, name));
  if (result.success) return result.data;
  throw invalid(`${name} does not fit: ${z.prettifyError(result.error).replaceAll(/\s+/g, ' ')}`);
}

async function contentOf(path: string, name: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > MAX_INPUT_BYTES) throw invalid(`${name} is larger than ${humanBytes(MAX_INPUT_BYTES)}`);
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (thrown instanceof EchelonError) throw thrown;
    throw invalid(`${name} cannot be read: ${(thrown as NodeJS.ErrnoException).code}`);
  }
}

function parse(content: string, name: string): unknown {
  try {
    return JSON.parse(content);
  } catch (thrown) {
    throw invalid(`${name} is not JSON: ${messageOf(thrown)}`);
  }
}

function invalid(message: string): EchelonError {
  return new EchelonError({
    code: 'INPUT_INVALID',
    message,
    hint: 'see the shape with the same command, flags and --dump',
  });
}
