import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Template {
  readonly path: string;
  readonly text: string;
}

/** Kinds of files that a fleet has many of, with the folder that names each of them in the example. */
const MANY = [
  '/aws/payments/account.yml',
  '/openshift/app-sre/cluster.yml',
  '/services/payments/namespaces/payments-ledger-production.yml',
];

/**
 * A valid instance of at least `files` datafiles: the example instance, and copies of its accounts, clusters and
 * namespaces under other names. The same number gives the same bytes.
 */
export function generateInstance(example: string, target: string, files: number): number {
  cpSync(example, target, { recursive: true });
  const templates = MANY.map((path): Template => ({ path, text: readFileSync(join(target, 'data', path), 'utf8') }));
  let total = readdirSync(join(target, 'data'), { recursive: true, withFileTypes: true }).filter((e) =>
    e.isFile(),
  ).length;
  for (let copy = 0; total < files; copy += 1) {
    for (const { path, text } of templates) {
      write(join(target, 'data', renamed(path, copy)), copied(text, copy));
      total += 1;
    }
  }
  return total;
}

function renamed(path: string, copy: number): string {
  return join('/generated', String(copy), path);
}

/** The copy's own name, API server and references to other copies; everything else stays. */
function copied(text: string, copy: number): string {
  return text
    .replace(/^name: (.*)$/m, (_, name: string) => `name: ${name}-copy${copy}`)
    .replace(/^(serverUrl: https:\/\/api)\./m, `$1.copy${copy}.`)
    .replace(/^uid: .*$/m, `uid: '${String(700_000_000_000 + copy)}'`)
    .replaceAll('/openshift/app-sre/cluster.yml', renamed('/openshift/app-sre/cluster.yml', copy));
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
