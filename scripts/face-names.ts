import type { Violation } from './boundaries.ts';

/** One name that a face exports. */
export interface FaceExport {
  /** `undefined` for `export * from …`. */
  readonly name: string | undefined;
}

/** A name that leaves a room means one thing in the product, and a face can be read: every name is written out, once. */
export function checkFaceNames(faces: ReadonlyMap<string, readonly FaceExport[]>): Violation[] {
  const firstFace = new Map<string, string>();
  const found: Violation[] = [];
  for (const [file, names] of faces) {
    for (const { name } of names) {
      if (name === undefined) {
        found.push({ file, message: 'exports everything of another file; name what leaves the room' });
        continue;
      }
      const other = firstFace.get(name);
      if (other === undefined) firstFace.set(name, file);
      else found.push({ file, message: `exports ${name}, and so does src/${other}: one name, one thing` });
    }
  }
  return found;
}
