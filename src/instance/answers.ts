import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { BytesStore, Keeping } from './kept-values.ts';
import type { Revision, Snapshot } from './snapshot.ts';
import type { InstanceSource, LoadOptions } from './sources/instance-source.ts';
import { changesOf, fingerprintOf } from './sources/named-files.ts';
import { revisionOf } from './sources/revision.ts';

/** Keeps values by key; it may lose anything at any time, and may hold what others wrote. */
interface AnswerStore extends BytesStore {
  get(key: string): unknown;
  set(key: string, value: object): void;
}

export interface Asked<Answer extends object> {
  /** Everything that the answer depends on but the bytes of the instance, of the files, and the code. */
  readonly question: object;
  /** Files and folders beside the instance whose content counts. Where one cannot be read, nothing is kept. */
  readonly files: readonly string[];
  /** Names exactly the code that runs. */
  readonly code: string;
  /** Absent: every answer is computed. */
  readonly store?: AnswerStore | undefined;
  readonly load: LoadOptions;
  /** A function of question and snapshot. Its snapshot knows nothing of git, which is no part of the key. */
  readonly answer: (snapshot: Snapshot, keeping: Keeping | undefined) => Promise<Answer>;
}

interface Answered<Answer> {
  /** As it is after JSON, whether computed or kept. */
  readonly answer: Answer;
  readonly revision: Revision;
}

/**
 * The answer to a question about an instance, kept by the hash of every byte that it depends on: a kept answer is the one that
 * would be computed. Errors are not kept.
 */
export async function answerAbout<Answer extends object>(
  source: InstanceSource,
  { question, files, code, store: given, load, answer }: Asked<Answer>,
): Promise<Answered<Answer>> {
  const prints = given === undefined ? [] : files.map(fingerprintOf);
  const store = prints.includes(undefined) ? undefined : given;
  const held = store === undefined ? undefined : await source.hold?.({ store, code, now: Date.now() });
  const key = hash('sha256', JSON.stringify([code, question, prints, source.origin, held?.fingerprint]));
  const known = held === undefined ? undefined : kept<Answer>(store?.get(key), key);
  if (held !== undefined && known !== undefined) {
    return { answer: known.answer, revision: await held.revision(known.sha256) };
  }
  const keeping =
    held === undefined || store === undefined ? undefined : { store, key: JSON.stringify([code, source.origin]) };
  const snapshot = await (held === undefined || keeping === undefined ? source.load(load) : held.load(load, keeping));
  const { sha256 } = snapshot.revision;
  const changes = held && files.map(changesOf);
  const found = await answer({ ...snapshot, revision: revisionOf(sha256, undefined) }, keeping);
  const text = JSON.stringify({ sha256, answer: found });
  // The answer read the files after they were hashed: edited meanwhile, be it back and forth, it is about other bytes.
  if (areUnchanged(files, prints, changes)) store?.set(key, { key, digest: hash('sha256', text), text });
  return { answer: (JSON.parse(text) as Kept<Answer>).answer, revision: snapshot.revision };
}

function areUnchanged(
  files: readonly string[],
  prints: readonly (string | undefined)[],
  changes: readonly (string | undefined)[] | undefined,
): boolean {
  if (changes === undefined || changes.includes(undefined)) return false;
  return isDeepStrictEqual([files.map(fingerprintOf), files.map(changesOf)], [prints, changes]);
}

interface Kept<Answer> {
  readonly sha256: string;
  readonly answer: Answer;
}

/** Only what was kept whole, and for this key. */
function kept<Answer>(value: unknown, key: string): Kept<Answer> | undefined {
  const { key: keptKey, digest, text } = (value ?? {}) as { key?: unknown; digest?: unknown; text?: unknown };
  if (keptKey !== key || typeof text !== 'string' || digest !== hash('sha256', text)) return undefined;
  return JSON.parse(text) as Kept<Answer>;
}
