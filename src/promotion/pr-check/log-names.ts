import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { imageRefParts } from '../../base/index.ts';
import type { CheckRun } from './runs.ts';

/** Common file systems limit file names to 255 bytes. */
const LONGEST_PART = 80;
const HASH_LETTERS = 8;

/** A run with a unique log name. */
export type NamedRun = CheckRun & {
  /** `terraform-resources`, `terraform-resources_f929a38`; safe as a file name. */
  readonly name: string;
  /** `reconcile-<name>.txt`. */
  readonly log: string;
};

/** Names runs by integration and image tag. Duplicates, also those differing only in case, get a number. */
export function nameRuns(runs: readonly CheckRun[]): NamedRun[] {
  const taken = new Set<string>();
  return runs.map((run) => {
    const image = run.imageRef === undefined ? '' : `_${fileNamePart(imageRefParts(run.imageRef).tag)}`;
    const wanted = `${fileNamePart(run.integration)}${image}`;
    let name = wanted;
    for (let next = 2; taken.has(name.toLowerCase()); next += 1) name = `${wanted}.${next}`;
    taken.add(name.toLowerCase());
    return { ...run, name, log: `reconcile-${name}.txt` };
  });
}

/** A text as part of a file name: unchanged if safe, else its safe characters and a hash of the whole. */
export function fileNamePart(text: string): string {
  const safe = text.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replaceAll(/^[.-]+|[.-]+$/g, '');
  if (safe === text && safe !== '' && text.length <= LONGEST_PART) return text;
  const hash = bytesToHex(sha256(utf8ToBytes(text))).slice(0, HASH_LETTERS);
  const kept = safe.slice(0, LONGEST_PART - HASH_LETTERS - 1);
  return kept === '' ? hash : `${kept}-${hash}`;
}
