import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ImageStart {
  /** Flags of Node, before the program. */
  readonly flags: readonly string[];
  /** What the image says to the allocator of the system. */
  readonly env: Readonly<Record<string, string>>;
  /** The program, from the root of the package. */
  readonly program: string;
}

/** How deploy/Containerfile starts Node. */
export function imageStart(repo: string): ImageStart {
  const text = readFileSync(join(repo, 'deploy/Containerfile'), 'utf8');
  const [, ...args] = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(text)?.[1] ?? '[]') as string[];
  const variables = [...text.matchAll(/\b(MALLOC_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]);
  return {
    flags: args.slice(0, -1),
    env: Object.fromEntries(variables),
    program: args.at(-1)?.replace(/^\/app\//, '') ?? '',
  };
}
