import { hash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { licences } from './licences.ts';
import { REPO } from './run.ts';

/**
 * Joins the modules of the program, and the packages that it loads at every start, into a few files below `dist/program`:
 * finding, reading and linking hundreds of modules takes longer than what most commands do.
 */
const DIST = join(REPO, 'dist');
const PROGRAM = join(DIST, 'program');

/** Loaded by few commands, or they find files of their own by their place. */
const NOT_JOINED = ['@aws-sdk/client-s3', '@gitbeaker/rest', '@octokit/core', 'pino', 'prom-client'];

/** `cli/build.js` holds this until the whole text, of which it becomes the hash, is known. */
const UNKNOWN_BUILD = '@echelon-build@';

/** A name that a room gives through its face is taken from where it is defined, without loading the rest of the room. */
const TREESHAKE = {
  moduleSideEffects: [{ test: /\/dist\/(?!cli\/entry|instance\/sources\/reading-thread)/, sideEffects: false }],
};

const STAND_INS: Readonly<Record<string, string>> = {
  'node:process': 'export default globalThis.process;',
  'node:child_process': "export default { spawn: () => { throw new Error('no command is a program'); } };",
};

const bundle = await rolldown({
  input: join(DIST, 'cli/entry.js'),
  platform: 'node',
  // Names of modules are part of the text: the same wherever the packages are.
  cwd: REPO,
  resolve: { symlinks: false },
  external: (name, importer) => (name.startsWith('node:') || NOT_JOINED.includes(name)) && !isStandIn(name, importer),
  treeshake: TREESHAKE,
  plugins: [buildName(), ownPlaces(), standIns(), lightBuiltins()],
});
const { output } = await bundle.generate({
  format: 'esm',
  chunkFileNames: '[name].js',
  // What a start needs, and what an answer that was kept needs, are one file each with all that they import.
  codeSplitting: {
    groups: [
      { name: 'file-cache', test: /\/dist\/clients\/file-cache\//, priority: 3 },
      { name: 'start', test: /\/dist\/cli\/main\.js$/, priority: 2 },
      {
        name: 'answered',
        test: /\/dist\/cli\/(?:answered|redacting|program\/instance-commands|commands\/(?:validate|get\/get))\.js$/,
        priority: 1,
      },
    ],
  },
});
/** A thread starts with one small file of its own. */
const { output: thread } = await (
  await rolldown({
    ...{ input: join(DIST, 'instance/sources/reading-thread.js'), platform: 'node', external: [/^node:/] },
    ...{ treeshake: TREESHAKE, plugins: [lightBuiltins()] },
  })
).generate({ format: 'esm', codeSplitting: false });
const chunks = [...output, ...thread].filter((file): file is OutputChunk => file.type === 'chunk');
const packages = new Set(chunks.flatMap(({ moduleIds }) => moduleIds.flatMap((id) => packageOf(id) ?? [])));
const build = hash('sha256', JSON.stringify(chunks.map(({ fileName, code }) => [fileName, code])));

rmSync(PROGRAM, { recursive: true, force: true });
mkdirSync(PROGRAM, { recursive: true });
for (const { fileName, code } of chunks) writeFileSync(join(PROGRAM, fileName), code.replaceAll(UNKNOWN_BUILD, build));
writeFileSync(join(PROGRAM, 'LICENSES.txt'), licences([...packages].sort()));

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

/** What a module finds beside itself, such as `package.json` and the chart, stays where it was; but for the thread, which is here. */
function ownPlaces(): Plugin {
  return {
    name: 'own-places',
    transform: (code, id) =>
      id.startsWith(DIST) && code.includes('import.meta.url') && !code.includes('reading-thread')
        ? code.replaceAll('import.meta.url', `new URL('${relative(PROGRAM, id)}', import.meta.url).href`)
        : undefined,
  };
}

/**
 * To import a module of Node reads all that it has, which loads others; to ask for it loads nothing but what is taken.
 */
function lightBuiltins(): Plugin {
  const IMPORT = /^import (?:([\w$]+)(?:, )?)?(?:\* as ([\w$]+)|(\{[^}]*\}))? from "(node:[\w/]+)";$/gm;
  return {
    name: 'light-builtins',
    renderChunk: (code) =>
      code
        .replace(IMPORT, (_, whole?: string, all?: string, some?: string, name?: string) =>
          [whole, all, some?.replaceAll(' as ', ': ')]
            .flatMap((taken) => (taken === undefined ? [] : [`const ${taken} = process.getBuiltinModule("${name}");`]))
            .join('\n'),
        )
        .replace(/\bimport\("(node:[\w/]+)"\)/g, 'Promise.resolve(process.getBuiltinModule("$1"))'),
  };
}

/** What commander imports and we do not need: it starts programs for commands that are programs, of which there are none. */
function standIns(): Plugin {
  return {
    name: 'stand-ins',
    resolveId: (name, importer) => (isStandIn(name, importer) ? `\0${name}` : undefined),
    load: (id) => STAND_INS[id.slice(1)],
  };
}

function isStandIn(name: string, importer: string | undefined): boolean {
  return importer !== undefined && dirname(importer).includes('/commander/') && name in STAND_INS;
}
