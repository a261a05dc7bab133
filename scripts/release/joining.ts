import { dirname, relative } from 'node:path';
import type { InputOptions, Plugin } from 'rolldown';
import { REPO } from './run.ts';

/** Loaded by few commands, or they find files of their own by their place. */
const NOT_JOINED = ['@aws-sdk/client-s3', 'pino', 'prom-client'];

/** A name that a room gives through its face is taken from where it is defined, without loading the rest of the room. */
const TREESHAKE = {
  moduleSideEffects: [{ test: /\/dist\/(?!cli\/entry)/, sideEffects: false }],
};

const STAND_INS: Readonly<Record<string, string>> = {
  'node:process': 'export default globalThis.process;',
  'node:child_process': "export default { spawn: () => { throw new Error('no command is a program'); } };",
};

interface Joining {
  readonly input: string;
  /** The folder of the compiled sources, which is called `dist`. */
  readonly built: string;
  /** The folder that the joined files are written to. */
  readonly program: string;
}

/** How modules, and the packages that they load at every start, become a few files that are loaded at once. */
export function joining({ input, built, program }: Joining) {
  return {
    input,
    platform: 'node',
    // Names of modules are part of the text: the same wherever the packages are.
    cwd: REPO,
    resolve: { symlinks: false },
    external: (name, importer) => (name.startsWith('node:') || NOT_JOINED.includes(name)) && !isStandIn(name, importer),
    treeshake: TREESHAKE,
    plugins: [ownPlaces(built, program), standIns(), lightBuiltins()],
  } satisfies InputOptions;
}

/** What a module finds beside itself, such as `package.json` and the chart, stays where it was. */
function ownPlaces(built: string, program: string): Plugin {
  return {
    name: 'own-places',
    transform: (code, id) =>
      id.startsWith(built) && code.includes('import.meta.url')
        ? code.replaceAll('import.meta.url', `new URL('${relative(program, id)}', import.meta.url).href`)
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
