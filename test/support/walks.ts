import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPO } from './shared.ts';

/** One of the walks of docs/architecture.md. */
export interface Walk {
  readonly title: string;
  /** In the order in which it enters them. */
  readonly rooms: readonly string[];
  readonly functions: readonly string[];
}

export const WALKS = walksOf(readFileSync(join(REPO, 'docs/architecture.md'), 'utf8'));

function walksOf(text: string): Walk[] {
  const section = /\n## Walks\n(?<walks>.*?)\n## /su.exec(text)?.groups?.['walks'] ?? '';
  return section
    .split('\n### ')
    .slice(1)
    .map((walk) => ({
      title: walk.split('\n')[0] ?? '',
      rooms: [...walk.matchAll(/\*\*(\w+)\*\*/gu)].map((match) => match[1] ?? ''),
      functions: [...new Set([...walk.matchAll(/`(\w+)`/gu)].map((match) => match[1] ?? ''))],
    }));
}
