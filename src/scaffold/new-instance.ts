import type { InstanceAnswers } from './answers.ts';
import { CI_FILES } from './ci-files.ts';
import { fullData } from './full-data.ts';
import { leanData } from './lean-data.ts';
import { firstManagerFile } from './manager-file.ts';
import { SCHEMA_FOLDER } from './modeline.ts';
import type { NewFiles } from './new-files.ts';
import { GITIGNORE, readmeFile } from './readme-file.ts';

export interface InstanceOptions {
  /** With a file for everything, as the published schemas require. */
  readonly full: boolean;
  /** The JSON Schema of a kind of file, as text; undefined where there is none. */
  readonly schemaOf: (kind: string) => string | undefined;
}

/** The files of a new instance. Pure. */
export function newInstance(answers: InstanceAnswers, { full, schemaOf }: InstanceOptions): NewFiles {
  const files = new Map([
    ...(full ? fullData(answers) : leanData(answers)),
    ['resources/echelon/manager.yml', firstManagerFile(answers)],
    ['README.md', readmeFile(answers)],
    ['.gitignore', GITIGNORE],
    ...CI_FILES,
  ]);
  const known = new Map(kindsIn(files.values()).map((kind) => [kind, schemaOf(kind)] as const));
  const kept = [...files].map(([path, text]) => [path, withoutUnknown(text, known)] as const);
  const schemas = [...known].flatMap(([kind, text]) =>
    text === undefined ? [] : [[`${SCHEMA_FOLDER}/${kind}.json`, text] as const],
  );
  return new Map([...kept, ...schemas]);
}

const MODELINE = new RegExp(`^# yaml-language-server: \\$schema=[./]*${SCHEMA_FOLDER}/([a-z-]+)\\.json\\n`);

function kindsIn(texts: Iterable<string>): string[] {
  return [...new Set([...texts].flatMap((text) => MODELINE.exec(text)?.[1] ?? []))].sort();
}

function withoutUnknown(text: string, known: ReadonlyMap<string, string | undefined>): string {
  const kind = MODELINE.exec(text)?.[1];
  return kind !== undefined && known.get(kind) === undefined ? text.replace(MODELINE, '') : text;
}
