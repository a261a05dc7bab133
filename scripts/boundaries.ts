import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { type ParseResult, parseSync } from 'oxc-parser';
import { checkFaceNames, type FaceExport } from './face-names.ts';
import { checkFolderCycles } from './folder-cycles.ts';

/** Folders of `src/` and what each may import, as docs/architecture.md draws it. A folder may always import itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  instance: ['base'],
  sharding: ['base', 'instance'],
  gates: ['base', 'instance', 'sharding'],
  runtime: ['base'],
  clients: ['base'],
  shadow: ['base', 'instance', 'sharding'],
  watch: ['base', 'gates'],
  rollouts: ['base', 'instance', 'sharding', 'gates', 'shadow', 'watch'],
  manager: ['base', 'instance', 'sharding', 'gates', 'shadow', 'watch', 'rollouts'],
  promotion: ['base', 'instance', 'sharding', 'gates', 'shadow', 'rollouts'],
  'pr-check': ['base', 'instance', 'sharding', 'gates', 'shadow', 'rollouts'],
  upgrades: ['base', 'instance', 'sharding', 'gates', 'watch'],
  fields: ['base', 'instance', 'sharding', 'gates', 'shadow', 'rollouts', 'manager', 'promotion', 'upgrades'],
  integration: ['base', 'sharding', 'runtime', 'clients'],
  scaffold: ['base', 'instance'],
  console: ['base', 'instance', 'sharding', 'gates', 'shadow', 'rollouts', 'manager', 'promotion', 'upgrades'],
  sim: [
    'base',
    'instance',
    'sharding',
    'gates',
    'shadow',
    'rollouts',
    'manager',
    'promotion',
    'upgrades',
    'runtime',
    'clients',
  ],
  cli: [
    'base',
    'instance',
    'sharding',
    'gates',
    'runtime',
    'clients',
    'shadow',
    'rollouts',
    'manager',
    'promotion',
    'pr-check',
    'upgrades',
    'console',
    'fields',
    'watch',
    'scaffold',
    'sim',
  ],
};

/** Folders whose ports are written as types of clients: they name them and load none of them. */
const NAMES_CLIENTS = ['promotion', 'pr-check'];

/** Folders that only decide: what they know comes in as arguments. */
const PURE = [
  'sharding/',
  'gates/',
  'shadow/',
  'rollouts/',
  'instance/domain/',
  'instance/checks/',
  'instance/edit/',
  'instance/images/',
  'instance/listings/',
  'instance/manager-file/',
  'upgrades/',
  'console/',
  'fields/',
  'watch/',
  'scaffold/',
  'manager/',
  'promotion/',
  'pr-check/',
];
/** Commands that need the simulators; all others start without them. */
/** What runs the simulators; the definitions of its commands load nothing. */
const SIMULATING = /^cli\/commands\/sim\/(?!commands\.ts$)/;
const IMPURE_MODULES = /^node:(?:fs|child_process|http|https|net|os|process|timers|dns|worker_threads|crypto)(?:\/|$)/;
const IMPURE_CALLS = /\b(?:Date\.now|new Date\(\)|Math\.random|process\.env|performance\.now)/;

/** The usual ways to cut a text to a limit, found by the names of such limits. A client that cuts what a server said before its secrets are removed shows half of one. */
const CUTS = /\.(?:slice|substring|substr)\(0, *(?:LONGEST|\d{3})/;

export interface Violation {
  readonly file: string;
  readonly message: string;
}

/** A file below `src/`, parsed once. */
interface Source {
  readonly file: string;
  readonly text: string;
  readonly parsed: ParseResult;
}

/** Every import of a source tree that the architecture forbids. */
export function checkBoundaries(src: string): Violation[] {
  const sources = sourceFiles(src).map((file): Source => {
    const text = readFileSync(join(src, file), 'utf8');
    return { file, text, parsed: parseSync(file, text) };
  });
  const imports = new Map(sources.map((source) => [source.file, importsOf(source)]));
  return [
    ...sources.flatMap((source) => {
      const named = new Set(onlyNamedBy(source));
      const targets = imports.get(source.file) ?? [];
      return targets.flatMap((target) => forbidden(source.file, target, { isLoaded: !named.has(target) }));
    }),
    ...sources.flatMap(impurities),
    ...sources.flatMap(loadedSimulators),
    ...sources.flatMap(moduleVariables),
    ...sources.flatMap(cutTexts),
    ...cycles(new Map(sources.map((source) => [source.file, staticImportsOf(source)]))),
    ...checkFolderCycles(imports),
    ...checkFaceNames(new Map(sources.filter(({ file }) => isFace(file)).map((face) => [face.file, exportsOf(face)]))),
  ];
}

function sourceFiles(src: string): string[] {
  return readdirSync(src, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(src, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** Specifiers of a file: packages as they are, relative ones as paths below `src/`. */
function importsOf(source: Source): string[] {
  const { file, text, parsed } = source;
  const dynamic = parsed.module.dynamicImports.map(({ moduleRequest }) =>
    text.slice(moduleRequest.start + 1, moduleRequest.end - 1),
  );
  return [...new Set([...staticImportsOf(source), ...dynamic.map((specifier) => below(file, specifier))])];
}

/** Without `import()`: the definition of a command names what runs it, and that names the types of its flags. */
function staticImportsOf({ file, parsed: { module } }: Source): string[] {
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
  ];
  return [...new Set(specifiers.map((specifier) => below(file, specifier)))];
}

function below(file: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(file), specifier)) : specifier;
}

function exportsOf({ parsed: { module } }: Source): FaceExport[] {
  return module.staticExports.flatMap(({ entries }) =>
    entries.map(({ exportName }) => ({ name: exportName.name ?? undefined })),
  );
}

function forbidden(file: string, target: string, { isLoaded }: { readonly isLoaded: boolean }): Violation[] {
  const from = folderOf(file);
  if (!target.endsWith('.ts')) return [];
  if (file.endsWith('.test.ts') && target.startsWith('../test/support/')) return [];
  if (target.startsWith('../')) return [{ file, message: `imports ${target}, which is outside src/` }];
  const to = folderOf(target);
  if (from === to) return clientOfAnother(file, target);
  const allowed = MAY_IMPORT[from];
  if (allowed === undefined)
    return [{ file, message: `is in src/${from}/, a folder that the architecture does not have` }];
  const isNamed = to === 'clients' && !isLoaded && NAMES_CLIENTS.includes(from);
  if (!allowed.includes(to) && !isNamed && !file.endsWith('.test.ts'))
    return [{ file, message: `imports src/${target}: ${from} may not import ${to}` }];
  return isFace(target) ? [] : [{ file, message: `imports src/${target} past the index.ts of its folder` }];
}

/** Each client is a folder with a face of its own, or one file. */
function clientOfAnother(file: string, target: string): Violation[] {
  const [folder, own] = file.split('/');
  const [, other] = target.split('/');
  if (folder !== 'clients' || own === other || isFace(target)) return [];
  return [{ file, message: `imports src/${target} past the index.ts of its folder` }];
}

function folderOf(file: string): string {
  return file.split('/')[0] ?? '';
}

/** `instance/index.ts`, `clients/git/index.ts`, and a client of one file: `clients/registry.ts`. */
function isFace(target: string): boolean {
  return /^[^/]+\/index\.ts$/.test(target) || /^clients\/(?:[^/]+\/index|[\w-]+)\.ts$/.test(target);
}

function impurities(source: Source): Violation[] {
  const { file, text } = source;
  if (!PURE.some((folder) => file.startsWith(folder)) || file.endsWith('.test.ts')) return [];
  const modules = importsOf(source).filter((specifier) => IMPURE_MODULES.test(specifier));
  const call = IMPURE_CALLS.exec(text);
  return [
    ...modules.map((specifier) => ({ file, message: `imports ${specifier}: this folder only decides` })),
    ...(call === null ? [] : [{ file, message: `uses ${call[0]}: this folder only decides` }]),
  ];
}

/** A variable of a module is memory that nobody passes in: it outlives the call, and the test, that set it. */
function moduleVariables({ file, parsed }: Source): Violation[] {
  if (file.endsWith('.test.ts')) return [];
  return parsed.program.body
    .map((node) => (node.type === 'ExportNamedDeclaration' ? node.declaration : node))
    .filter((node) => node?.type === 'VariableDeclaration' && !node.declare && /^(?:let|var)$/.test(node.kind))
    .map(() => ({ file, message: 'declares a module-level let: pass the value in, or keep it in what is returned' }));
}

function cutTexts({ file, text }: Source): Violation[] {
  if (folderOf(file) !== 'clients' || file.endsWith('.test.ts')) return [];
  const cut = CUTS.exec(text);
  if (cut === null) return [];
  return [{ file, message: `cuts a text (${cut[0]}…): use quote of Secrets, or shortened for a text of our own` }];
}

/** The simulators, loaded by what does not need them: by name, or together with a command that does. */
function loadedSimulators(source: Source): Violation[] {
  const { file } = source;
  if (folderOf(file) === 'sim' || SIMULATING.test(file) || file.endsWith('.test.ts')) return [];
  return loadedWith(source)
    .filter((target) => folderOf(target) === 'sim' || SIMULATING.test(target))
    .map((target) => ({ file, message: `loads the simulators: import ${target} when a command needs it` }));
}

/** Modules of which a file imports types alone. */
function onlyNamedBy(source: Source): string[] {
  const { file, text, parsed } = source;
  const loaded = new Set(loadedWith(source));
  const later = parsed.module.dynamicImports.map(({ moduleRequest }) =>
    posix.normalize(posix.join(posix.dirname(file), text.slice(moduleRequest.start + 1, moduleRequest.end - 1))),
  );
  return importsOf(source).filter((target) => !loaded.has(target) && !later.includes(target));
}

/** Modules that are loaded with a file: those of `import type` and `export type` are not. */
function loadedWith({ file, text, parsed: { module } }: Source): string[] {
  const isLoaded = ({ start }: { start: number }): boolean => !/^(?:im|ex)port\s+type\b/.test(text.slice(start));
  const imported = module.staticImports.filter(isLoaded).map(({ moduleRequest }) => moduleRequest.value);
  const exported = module.staticExports
    .filter(isLoaded)
    .flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []));
  return [...imported, ...new Set(exported)].map((specifier) =>
    posix.normalize(posix.join(posix.dirname(file), specifier)),
  );
}

function cycles(imports: ReadonlyMap<string, readonly string[]>): Violation[] {
  const done = new Set<string>();
  const found: Violation[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) {
      const ring = [...trail.slice(trail.indexOf(file)), file];
      found.push({ file, message: `is in a cycle of imports: ${ring.join(' → ')}` });
      return;
    }
    if (done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...trail, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return found;
}

if (import.meta.main) {
  const violations = checkBoundaries(join(import.meta.dirname, '..', 'src'));
  for (const { file, message } of violations) console.error(`src/${file}: ${message}`);
  if (violations.length > 0) process.exit(1);
  console.log('import boundaries hold');
}
