import { chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileCache } from '../../src/clients/file-cache.ts';

/** An image that nobody declares. */
export const FOREIGN_IMAGE = 'example/foreign:1';

/** Writes what was rendered to another cache, whole and with its hash, but with a foreign image in every container. */
export function forgeRenderings(from: string, to: string): void {
  for (const file of readdirSync(from)) {
    const key = file.replace('.json', '');
    const text = JSON.stringify(fileCache(from).get(key));
    const forged = text.replaceAll(/"image":"[^"]*"/g, `"image":"${FOREIGN_IMAGE}"`);
    fileCache(to).set(key, JSON.parse(forged) as object);
  }
}

/** Gives a folder and all that is in it to another user; only root can. */
export function giveAway(folder: string, uid: number): void {
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, path), uid, uid);
  chownSync(folder, uid, uid);
}
