import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../base/index.ts';
import { badCapabilities, type Capabilities, parseCapabilities } from '../sharding/index.ts';
import type { Io } from './io.ts';

/** The file of `--capabilities`: a mapping from integration to what it supports. */
export function readCapabilities(io: Io, file: string | undefined): Capabilities | undefined {
  if (file === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(resolve(io.cwd, file), 'utf8');
  } catch (thrown) {
    throw badCapabilities(file, messageOf(thrown));
  }
  return parseCapabilities(file, text);
}
