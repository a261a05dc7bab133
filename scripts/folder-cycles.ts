import { posix } from 'node:path';
import type { Violation } from './boundaries.ts';

/**
 * Cycles of imports between folders that stand beside each other. Files directly in the parent folder are not part of any
 * of them: they may put the folders together, and hold what the folders share.
 */
export function checkFolderCycles(imports: ReadonlyMap<string, readonly string[]>): Violation[] {
  return [...siblingsByParent(imports)].flatMap(([parent, edges]) =>
    cyclesOf(edges).map((ring) => ({
      file: parent,
      message: `has a cycle between its folders: ${ring.map((folder) => posix.basename(folder)).join(' → ')}, because of ${whyOf(ring, edges)}`,
    })),
  );
}

/** Folder → folder beside it that it imports → one import that does. */
type Edges = Map<string, Map<string, string>>;

function siblingsByParent(imports: ReadonlyMap<string, readonly string[]>): Map<string, Edges> {
  const byParent = new Map<string, Edges>();
  for (const [file, targets] of imports) {
    if (file.endsWith('.test.ts')) continue;
    for (const target of targets) addEdge(byParent, file, target);
  }
  return byParent;
}

function addEdge(byParent: Map<string, Edges>, file: string, target: string): void {
  const pair = siblings(file, target);
  if (pair === undefined) return;
  const edges = byParent.get(pair.parent) ?? new Map<string, Map<string, string>>();
  const from = edges.get(pair.from) ?? new Map<string, string>();
  byParent.set(pair.parent, edges.set(pair.from, from));
  if (!from.has(pair.to)) from.set(pair.to, `${file} → ${target}`);
}

function siblings(file: string, target: string): { parent: string; from: string; to: string } | undefined {
  const [a, b] = [file.split('/').slice(0, -1), target.split('/').slice(0, -1)];
  const depth = a.findIndex((part, at) => part !== b[at]);
  if (depth < 1 || b[depth] === undefined) return undefined;
  const folder = (parts: readonly string[]): string => parts.slice(0, depth + 1).join('/');
  return { parent: a.slice(0, depth).join('/'), from: folder(a), to: folder(b) };
}

/** One ring for every folder that reaches itself and is in no ring yet. */
function cyclesOf(edges: Edges): string[][] {
  const rings: string[][] = [];
  const inRing = new Set<string>();
  for (const start of edges.keys()) {
    if (inRing.has(start)) continue;
    const ring = wayBack(start, edges);
    if (ring === undefined) continue;
    for (const folder of ring) inRing.add(folder);
    rings.push(ring);
  }
  return rings;
}

/** The shortest way from a folder back to itself. */
function wayBack(start: string, edges: Edges): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (let folder = queue.shift(); folder !== undefined; folder = queue.shift()) {
    for (const next of edges.get(folder)?.keys() ?? []) {
      if (next === start) return [...trail(folder, cameFrom), start];
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, folder);
      queue.push(next);
    }
  }
  return undefined;
}

function trail(folder: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const before = cameFrom.get(folder);
  return before === undefined ? [folder] : [...trail(before, cameFrom), folder];
}

function whyOf(ring: readonly string[], edges: Edges): string {
  return ring
    .slice(1)
    .map((folder, at) => edges.get(ring[at] ?? '')?.get(folder))
    .join(' and ');
}
