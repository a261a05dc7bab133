import type { Instance } from '../../instance/index.ts';

/** An instance before or after a change. */
export interface Side {
  readonly instance: Instance;
  /** Text of a file, relative to the instance root; undefined if missing or unreadable. */
  readonly text: (file: string) => string | undefined;
}

const SCHEMA_LINE = /^\$schema:[ \t]*["']?(\/?[^\s"'#]+\.ya?ml)["']?[ \t]*(?:#.*)?\r?$/m;
const SCHEMA_JSON = /^\s*\{\s*"\$schema"\s*:\s*"([^"]+)"/;

/** The schema in a text, even if the rest cannot be parsed: most resources are templates. */
export function schemaInText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return SCHEMA_LINE.exec(text)?.[1] ?? SCHEMA_JSON.exec(text)?.[1];
}

/** The schema of a datafile, parsed or extracted from its text. */
export function schemaOfDatafile({ instance, text }: Side, path: string): string | undefined {
  return instance.snapshot.datafiles.get(path)?.schema ?? schemaInText(text(`data${path}`));
}
