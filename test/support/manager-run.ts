import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { rememberedHelm } from './remembered-helm.ts';
import { type Ran, type RunOptions, runCli } from './run-cli.ts';

/** A folder of its own for what a test of `echelon manager` writes, caches included. */
export interface ManagerRun {
  readonly root: string;
  /** Runs `echelon manager …` with a real helm, which remembers what it rendered, and a private cache. */
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  path(name: string): string;
  write(name: string, text: string, mode?: number): string;
  dispose(): void;
}

export async function managerRun(): Promise<ManagerRun> {
  const helm = await rememberedHelm();
  const root = mkdtempSync(join(tmpdir(), 'echelon-manager-'));
  const path = (name: string): string => join(root, name);
  return {
    root,
    path,
    run: (args, options = {}) =>
      runCli(['manager', ...args], {
        ...options,
        env: { HELM_BIN: helm, XDG_CACHE_HOME: path('cache'), ...options.env },
      }),
    write: (name, text, mode = 0o644) => {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), text, { mode });
      return path(name);
    },
    dispose: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Every file below a folder with its text, by path. */
export function filesBelow(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).sort();
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
}
