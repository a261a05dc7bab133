import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The licence texts of packages whose code is part of the program, given their folders. */
export function licences(folders: readonly string[]): string {
  return folders.map((folder) => `${titleOf(folder)}\n\n${textOf(folder).trim()}\n`).join('\n\n');
}

function titleOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    string
  >;
  return `${name} ${version} (${license})`;
}

/** Every package that is joined has one: without it its terms would not be met. */
function textOf(folder: string): string {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (file === undefined) throw new Error(`${folder} has no licence file`);
  return readFileSync(join(folder, file), 'utf8');
}
