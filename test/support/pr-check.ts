import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FolderImage, imageOf } from './folder-image.ts';
import { type GitSandbox, gitSandbox } from './git-sandbox.ts';
import { testHelm } from './render-chart.ts';
import { type Ran, type RunOptions, runCli } from './run-cli.ts';
import { EXAMPLE_INSTANCE, REPO } from './shared.ts';

type Edit = (text: string) => string;

/** The example instance in a git repository of its own, with `main` as it is and a branch for the change. */
export interface CheckedRepository {
  readonly root: string;
  readonly sandbox: GitSandbox;
  path(...names: readonly string[]): string;
  /** Of a file of the instance. */
  text(file: string): string;
  write(file: string, text: string): void;
  edit(file: string, edit: Edit): void;
  remove(file: string): void;
  /** Commits everything to the branch `change`; returns the commit. */
  commit(): string;
  /** `echelon pr-check` from main to the branch. */
  check(args?: readonly string[], options?: RunOptions): Promise<Ran>;
  /** The same as JSON. */
  report(args?: readonly string[], options?: RunOptions): Promise<PrCheckReport>;
  logs(): string[];
  log(name: string): string;
  dispose(): void;
}

/** As much of the document as tests read. */
export interface PrCheckReport {
  readonly code: number;
  readonly ok: boolean;
  readonly failures: readonly string[];
  readonly files: readonly { readonly file: string; readonly meaning: string }[];
  readonly validation: Readonly<
    Record<'added' | 'kept' | 'gone', readonly { readonly rule: string; readonly file: string }[]>
  >;
  readonly workloads?: {
    readonly difference: {
      readonly summary: string;
      readonly changes: readonly { readonly integration: string; readonly shard: string; readonly change: string }[];
    };
    readonly guard: readonly string[];
    readonly troubles: readonly { readonly message: string; readonly known: boolean }[];
  };
  readonly integrations: readonly {
    readonly integration: string;
    readonly selected: boolean;
    readonly reasons: readonly { readonly rule: string }[];
  }[];
  readonly runs: readonly {
    readonly name: string;
    readonly log: string;
    readonly image: string;
    readonly args: string[];
  }[];
  readonly results?: readonly {
    readonly name: string;
    readonly end: string;
    readonly exitCode?: number;
    readonly reason?: string;
  }[];
}

/** Repositories as the first test of a file made them, by where the instance is. */
const images = new Map<string, FolderImage>();
/** What the test before rendered: the same chart with the same values need not be rendered again. */
let rendered: FolderImage | undefined;

/** @param folder where in the repository the instance is */
export async function checkedRepository(folder = ''): Promise<CheckedRepository> {
  const helm = await testHelm();
  const sandbox = gitSandbox();
  const root = sandbox.path('repository');
  const instance = join(root, folder);
  mkdirSync(instance, { recursive: true });
  const image = images.get(folder) ?? makeRepository(sandbox, folder);
  if (images.has(folder)) image.writeTo(root);
  images.set(folder, image);
  rendered?.writeTo(sandbox.path('cache'));
  const path = (...names: readonly string[]): string => sandbox.path(...names);
  const text = (file: string): string => readFileSync(join(instance, file), 'utf8');
  const write = (file: string, content: string): void => sandbox.write(join('repository', folder), file, content);
  const check: CheckedRepository['check'] = (args = [], options = {}) =>
    runCli(['pr-check', '--data', instance, '--base', 'main', '--head', 'change', '--log-dir', path('logs'), ...args], {
      cwd: REPO,
      ...options,
      env: { HELM_BIN: helm, XDG_CACHE_HOME: path('cache'), PATH: process.env['PATH'] ?? '', ...options.env },
    });
  return {
    root: instance,
    sandbox,
    path,
    text,
    write,
    edit: (file, edit) => {
      const before = text(file);
      const after = edit(before);
      if (after === before) throw new Error(`the edit of ${file} changes nothing`);
      writeFileSync(join(instance, file), after);
    },
    remove: (file) => rmSync(join(instance, file)),
    commit: () => sandbox.commit('repository', 'a change'),
    check,
    report: async (args = [], options = {}) => {
      const { code, stdout, stderr } = await check([...args, '-o', 'json'], options);
      try {
        return { code, ...JSON.parse(stdout) };
      } catch (cause) {
        throw new Error(`no report: ${stderr}`, { cause });
      }
    },
    logs: () => readdirSync(path('logs')).sort(),
    log: (name) => readFileSync(path('logs', name), 'utf8'),
    dispose: () => {
      if (existsSync(path('cache'))) rendered = imageOf(path('cache'));
      sandbox.dispose();
    },
  };
}

function makeRepository(sandbox: GitSandbox, folder: string): FolderImage {
  cpSync(EXAMPLE_INSTANCE, sandbox.path('repository', folder), { recursive: true });
  sandbox.git('repository', 'init', '--quiet', '--template=', '--initial-branch', 'main');
  sandbox.commit('repository', 'the instance');
  sandbox.git('repository', 'checkout', '--quiet', '-b', 'change');
  sandbox.git('repository', 'repack', '-a', '-d', '--quiet');
  return imageOf(sandbox.path('repository'));
}

export function selectedBy(report: PrCheckReport): Record<string, string[]> {
  return Object.fromEntries(
    report.integrations
      .filter(({ selected }) => selected)
      .map(({ integration, reasons }) => [integration, reasons.map(({ rule }) => rule)]),
  );
}

/** `log name|tag|arguments` of every run of an integration. */
export function runsOfIntegration(report: PrCheckReport, integration: string): string[] {
  return report.runs
    .filter(({ name }) => name === integration || name.startsWith(`${integration}_`))
    .map(({ log, image, args }) => `${log}|${image.split(':').at(-1)}|${args.join(' ')}`);
}
