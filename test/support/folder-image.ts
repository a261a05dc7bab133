import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The files of a folder, kept in memory: what many tests begin with is made once and written for each of them. */
export interface FolderImage {
  /** Texts of files may be changed on the way; bytes that are no text stay. */
  writeTo(folder: string, edit?: (path: string, text: string) => string): void;
}

interface ImageFile {
  readonly path: string;
  readonly content: Buffer;
  readonly mode: number;
}

/** Of plain files and folders; links are left out. */
export function imageOf(folder: string): FolderImage {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const pathOf = (entry: { parentPath: string; name: string }): string =>
    relative(folder, join(entry.parentPath, entry.name));
  const folders = entries.filter((entry) => entry.isDirectory()).map(pathOf);
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry): ImageFile => {
      const location = join(entry.parentPath, entry.name);
      return { path: pathOf(entry), content: readFileSync(location), mode: statSync(location).mode & 0o777 };
    });
  return {
    writeTo: (into, edit) => {
      for (const path of folders) mkdirSync(join(into, path), { recursive: true });
      for (const { path, content, mode } of files) {
        mkdirSync(dirname(join(into, path)), { recursive: true });
        writeFileSync(join(into, path), edited(path, content, edit), { mode });
      }
    },
  };
}

function edited(path: string, content: Buffer, edit: Parameters<FolderImage['writeTo']>[1]): Buffer | string {
  if (edit === undefined) return content;
  const text = content.toString('utf8');
  const after = edit(path, text);
  return after === text ? content : after;
}
