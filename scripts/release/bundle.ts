import { hash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { joining } from './joining.ts';
import { licences } from './licences.ts';
import { REPO } from './run.ts';

/**
 * Joins the modules of the program, and the packages that it loads at every start, into a few files below `dist/program`:
 * finding, reading and linking hundreds of modules takes longer than what most commands do.
 */
const DIST = join(REPO, 'dist');
const PROGRAM = join(DIST, 'program');

/** `cli/build.js` holds this until the whole text, of which it becomes the hash, is known. */
const UNKNOWN_BUILD = '@echelon-build@';

const options = joining({ input: join(DIST, 'cli/entry.js'), built: DIST, program: PROGRAM });
const bundle = await rolldown({ ...options, plugins: [buildName(), ...options.plugins] });
const { output } = await bundle.generate({
  format: 'esm',
  chunkFileNames: '[name].js',
  // What comes first and what a start needs are one file each with all that they import.
  codeSplitting: {
    groups: [
      { name: 'first', test: /\/dist\/clients\/file-cache\//, priority: 3 },
      { name: 'start', test: /\/dist\/cli\/main\.js$/, priority: 2 },
    ],
  },
});
const files = output.filter((file): file is OutputChunk => file.type === 'chunk');
const chunks = withoutFronts(files);
const packages = new Set(chunks.flatMap(({ moduleIds }) => moduleIds.flatMap((id) => packageOf(id) ?? [])));
const build = hash('sha256', JSON.stringify(chunks.map(({ fileName, code }) => [fileName, code])));

rmSync(PROGRAM, { recursive: true, force: true });
mkdirSync(PROGRAM, { recursive: true });
for (const { fileName, code } of chunks) writeFileSync(join(PROGRAM, fileName), code.replaceAll(UNKNOWN_BUILD, build));
writeFileSync(join(PROGRAM, 'LICENSES.txt'), licences([...packages].sort()));

interface Written {
  readonly fileName: string;
  readonly code: string;
  readonly moduleIds: readonly string[];
}

/**
 * A module that is loaded later, but is part of a larger file, gets a file of one line that passes its names on. To find and
 * read such a file takes as long as to run it, so the larger one is loaded instead.
 */
function withoutFronts(files: readonly OutputChunk[]): Written[] {
  const fronts = new Map(files.flatMap(({ fileName, code }) => frontOf(fileName, code)));
  return files
    .filter(({ fileName }) => !fronts.has(fileName))
    .map(({ fileName, code, moduleIds }) => ({
      fileName,
      code: code.replace(/\bimport\("\.\/([\w.-]+)"\)/g, (whole, name: string) => fronts.get(name) ?? whole),
      moduleIds,
    }));
}

/** How to load what a front passes on. */
function frontOf(fileName: string, code: string): [string, string][] {
  const [, names, from] = /^export \{ ([^}]*) \} from "(\.\/[\w.-]+)";\s*$/.exec(code) ?? [];
  if (names === undefined || from === undefined) return [];
  const fields = names.split(', ').map((name) => name.split(' as '));
  const taken = fields.map(([inner, outer = inner]) => `${outer}: all.${inner}`).join(', ');
  return [[fileName, `import("${from}").then((all) => ({ ${taken} }))`]];
}

function packageOf(id: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];
}

/** Names the build, so that nothing kept by another one is used. */
function buildName(): Plugin {
  return {
    name: 'build-name',
    load: (id) => (id === join(DIST, 'cli/build.js') ? `export const BUILD = '${UNKNOWN_BUILD}';` : undefined),
  };
}
