import { sha256Of } from './sha256.ts';

/** Common file systems limit file names to 255 bytes. */
const LONGEST_PART = 80;
const HASH_LETTERS = 8;

/** A text as part of a file name: unchanged if safe, else its safe characters and a hash of the whole. */
export function fileNamePart(text: string): string {
  const safe = text.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replaceAll(/^[.-]+|[.-]+$/g, '');
  if (safe === text && safe !== '' && text.length <= LONGEST_PART) return text;
  const hash = sha256Of(text).slice(0, HASH_LETTERS);
  const kept = safe.slice(0, LONGEST_PART - HASH_LETTERS - 1);
  return kept === '' ? hash : `${kept}-${hash}`;
}
