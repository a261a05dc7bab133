import { join } from 'node:path';
import type { Row } from './row.ts';

export const REPO = join(import.meta.dirname, '../..');

/** A script of this folder, which a part runs in a process of its own. */
export function script(name: string): string {
  return join(import.meta.dirname, name);
}

/** Measures one subject. `folder` is its own, and removed afterwards. */
export type Part = (folder: string) => readonly Row[] | Promise<readonly Row[]>;
