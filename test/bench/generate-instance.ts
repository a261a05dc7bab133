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
 * How copies are laid out: each kind of each copy in folders of its own, or beside the original, as instances are: an account or a cluster
 * in its folder, and a namespace in that of its service.
 */
type Layout = 'apart' | 'beside';

/**
 * A valid instance of at least `files` datafiles: the example instance, and copies of its accounts, clusters and
 * namespaces under other names. The same number and layout give the same bytes.
 */
export function generateInstance(example: string, target: string, files: number, layout: Layout = 'apart'): number {
  cpSync(example, target, { recursive: true });
  const templates = MANY.map((path): Template => ({ path, text: readFileSync(join(target, 'data', path), 'utf8') }));
  let total = readdirSync(join(target, 'data'), { recursive: true, withFileTypes: true }).filter((e) =>
    e.isFile(),
  ).length;
  for (let copy = 0; total < files; copy += 1) {
    for (const { path, text } of templates) {
      write(join(target, 'data', renamed[layout](path, copy)), copied(text, copy, renamed[layout]));
      total += 1;
    }
  }
  return total;
}

const renamed = {
  apart: (path: string, copy: number): string => join('/generated', String(copy), path),
  beside: (path: string, copy: number): string => {
    const own = /\/(?:account|cluster)\.yml$/.exec(path)?.[0] ?? '.yml';
    return `${path.slice(0, -own.length)}-copy${copy}${own}`;
  },
};

/** The copy's own name, API server and references to other copies; everything else stays. */
function copied(text: string, copy: number, nameOf: (path: string, copy: number) => string): string {
  return text
    .replace(/^name: (.*)$/m, (_, name: string) => `name: ${name}-copy${copy}`)
    .replace(/^(serverUrl: https:\/\/api)\./m, `$1.copy${copy}.`)
    .replace(/^uid: .*$/m, `uid: '${String(700_000_000_000 + copy)}'`)
    .replaceAll('/openshift/app-sre/cluster.yml', nameOf('/openshift/app-sre/cluster.yml', copy));
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
