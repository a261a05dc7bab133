import { isDeepStrictEqual } from 'node:util';
import {
  type Column,
  defined,
  didYouMean,
  EchelonError,
  isImage,
  isImageDigest,
  isImageRef,
  type ListedRows,
  listedRows,
  messageOf,
  sha256Of,
  shown,
} from '../base/index.ts';
import { type Instant, instantOf, later, millisecondsOf, parseInstant, secondTextAfter } from '../gates/index.ts';
import {
  appendedItems,
  decodeText,
  type EditedList,
  editError,
  editedList,
  encodeText,
  type FileEdit,
  flowKey,
  type Instance,
  keyColumn,
  lastMapping,
  lineBreakOf,
  readYaml,
  requireDirectory,
  scalarText,
  spliced,
  valueAtPath,
  verifyEdit,
  withValue,
} from '../instance/index.ts';
import { parseDuration } from './file/duration.ts';
import { requireRollouts } from './file/read-rollouts.ts';
import { type Overrule, ROLLOUTS_RESOURCE, type RolloutFile } from './file/rollout-file.ts';

/** A planned overrule and the file that it is added to. */
interface PlannedOverrule {
  readonly folder: string;
  /** Of the instance, or the hash of a file that is not in one. */
  readonly revision: string;
  readonly overrule: WrittenOverrule;
  readonly edit: FileEdit;
}

/** Adds decisions of users to the file of rollouts: the only assembly of that job. */
interface Overrules {
  /** Writes nothing. */
  plan(request: OverruleRequest): Promise<PlannedOverrule>;
  apply(planned: PlannedOverrule): void;
}

interface OverrulePorts {
  readonly loadInstance: () => Promise<Instance>;
  readonly files: {
    /** The bytes of a file in a folder. */
    read(folder: string, file: string): Uint8Array;
    /** Replaces files, all or none; fails if one changed since it was read. */
    replace(folder: string, edits: readonly FileEdit[]): void;
  };
  readonly now: () => Date;
  /** Another file than that of the instance, which is not read then. */
  readonly file?: GivenFile;
}

interface GivenFile {
  readonly folder: string;
  readonly name: string;
  /** As the user named it. */
  readonly shown: string;
  readonly revision?: string;
}

const FILE = `resources${ROLLOUTS_RESOURCE}`;

export function openOverrules({ loadInstance, files, now, file }: OverrulePorts): Overrules {
  return {
    plan: async (request) => {
      const { folder, name, shown, revision } = file ?? fileIn(await loadInstance());
      const before = bytesOf(files, folder, name, shown);
      const overrule = newOverrule(rolloutsIn(shown, before), request, instantOf(now().getTime()));
      const edit = { file: name, before, after: addOverrule(shown, before, overrule) };
      return { folder, revision: revision ?? sha256Of(Buffer.from(before).toString()), overrule, edit };
    },
    apply: ({ folder, edit }) => files.replace(folder, [edit]),
  };
}

function fileIn({ snapshot }: Instance): GivenFile {
  const { origin, echelonFiles, revision } = snapshot;
  requireDirectory(snapshot, 'ROLLOUTS_SOURCE');
  if (!echelonFiles.has(ROLLOUTS_RESOURCE)) throw noFile(origin);
  return { folder: origin, name: FILE, shown: FILE, revision: revision.id };
}

function bytesOf(files: OverrulePorts['files'], folder: string, name: string, shown: string): Uint8Array {
  try {
    return files.read(folder, name);
  } catch (thrown) {
    const message = `cannot read ${shown}: ${messageOf(thrown)}`;
    throw new EchelonError({ code: 'ROLLOUTS_UNREADABLE', message, hint: 'pass a readable file with --rollouts' });
  }
}

function noFile(origin: string): EchelonError {
  return new EchelonError({
    code: 'ROLLOUTS_MISSING',
    message: `${origin} has no ${FILE}`,
    hint: 'declare tracks there first, or pass another checkout with --data',
  });
}

/** A decision of a user about a track, as it was asked for. */
export interface OverruleRequest extends Pick<Overrule, 'track' | 'action' | 'image' | 'digest' | 'reason'> {
  /** ISO 8601. */
  readonly until?: string;
  /** A duration from now, such as `4h`. */
  readonly for?: string;
}

/** An overrule as it is written to the file: every value is text. */
type WrittenOverrule = Readonly<Record<'track' | 'action' | 'at' | 'reason', string>> &
  Partial<Readonly<Record<'image' | 'digest' | 'until', string>>>;

/** The overrule that a request means at a time; throws what is wrong with it. */
export function newOverrule({ tracks }: RolloutFile, request: OverruleRequest, now: Instant): WrittenOverrule {
  const { track, action, image, digest, reason } = request;
  requireTrack(
    tracks.map(({ name }) => name),
    track,
  );
  if (image !== undefined && !isImageName(image)) {
    const hint = 'use a tag such as 8c41f7e, a tag with its digest, or the whole image';
    throw flagInvalid(`--image ${shown(image)} is not an image`, hint);
  }
  if (digest !== undefined && !DIGEST.test(digest)) {
    const hint = 'use the digest that echelon rollout explain shows, such as sha256:0123456789ab';
    throw flagInvalid(`--digest ${shown(digest)} is not the digest of a difference`, hint);
  }
  if (reason.trim() === '') throw flagInvalid('--reason is empty', 'say why, such as --reason INC-123');
  const until = endOf(request, now);
  return {
    track,
    ...defined({ image }),
    action,
    ...defined({ digest }),
    at: new Date(millisecondsOf(now)).toISOString().replace('.000Z', 'Z'),
    ...defined({ until }),
    reason,
  };
}

const DIGEST = /^sha256:[0-9a-f]{12,64}$/;

function requireTrack(known: readonly string[], track: string): void {
  if (known.includes(track)) return;
  const otherwise = known.length === 0 ? 'declare it under tracks' : `use one of: ${known.slice(0, 10).join(', ')}`;
  const hint = didYouMean(track, known, otherwise);
  throw new EchelonError({ code: 'TRACK_UNKNOWN', message: `no track ${track} in the file of rollouts`, hint });
}

function isImageName(text: string): boolean {
  return isImage(text) || isImageRef(text) || (text.startsWith('@') && isImageDigest(text.slice(1)));
}

/** A pause and an expedite end by themselves. */
function endOf({ action, until, for: length }: OverruleRequest, now: Instant): string | undefined {
  if (until !== undefined && length !== undefined) throw flagInvalid('two ends given', 'pass --until or --for');
  if (until !== undefined) {
    requireFuture(`--until ${until}`, parseInstant(until), now, 'a time such as 2026-12-20T18:00:00Z');
    return until;
  }
  if (length !== undefined) {
    return secondTextAfter(requireFuture(`--for ${length}`, endAfter(length, now), now, 'a duration such as 4h or 1d'));
  }
  if (action !== 'pause' && action !== 'expedite') return undefined;
  throw flagInvalid(`${action} needs an end`, 'pass --until TIME or --for 4h');
}

function requireFuture(flag: string, end: Instant | undefined, now: Instant, form: string): Instant {
  if (end === undefined) throw flagInvalid(`${flag} is not valid`, `use ${form}`);
  if (end <= now) throw flagInvalid(`${flag} is not in the future`, 'use a later end');
  return end;
}

/** Undefined for what is not a duration, or too far away to be written as a time. */
function endAfter(length: string, now: Instant): Instant | undefined {
  const micros = parseDuration(length);
  const end = micros === undefined ? undefined : later(now, micros);
  return end !== undefined && Number.isSafeInteger(end) ? end : undefined;
}

function flagInvalid(message: string, hint: string): EchelonError {
  return new EchelonError({ code: 'FLAG_INVALID', message, hint });
}

const KEY = 'overrules';

/**
 * Appends an overrule to the text of a file of rollouts; every other byte stays. Reading the result must give exactly one
 * overrule more, otherwise an error says why and nothing is changed.
 */
export function addOverrule(name: string, bytes: Uint8Array, overrule: WrittenOverrule): Uint8Array {
  const yaml = readYaml(name, bytes);
  const list = editedList(yaml, [], KEY);
  const text = spliced(
    yaml.text,
    appendedItems(list, {
      block: (dash) => blockItem(list, dash, overrule),
      flow: () => flowItem(list, overrule),
    }),
  );
  verifyEdit(yaml, text, (models) => models.with(list.document, withOverrule(models[list.document], overrule)));
  const after = encodeText(text, yaml.text, bytes);
  requireOneMore(rolloutsIn(name, bytes), rolloutsIn(name, after), name);
  return after;
}

/** What the bytes of a file declare; throws ROLLOUTS_INVALID. */
export function rolloutsIn(name: string, bytes: Uint8Array): RolloutFile {
  return requireRollouts(decodeText(name, bytes).replace(/^\ufeff/, ''), name);
}

function withOverrule(model: unknown, overrule: WrittenOverrule): unknown {
  const before = valueAtPath(model, [KEY]);
  return withValue(model, [KEY], [...(Array.isArray(before) ? before : []), overrule]);
}

function requireOneMore({ overrules: old, ...before }: RolloutFile, after: RolloutFile, name: string): void {
  const { overrules, ...rest } = after;
  if (isDeepStrictEqual(overrules.slice(0, -1), old) && isDeepStrictEqual(rest, before)) return;
  const hint = 'edit the file by hand and report this; nothing was changed';
  throw editError('EDIT_UNVERIFIED', `${name} would change more than the overrule`, hint);
}

/** Formatted like the last overrule. */
function blockItem(list: EditedList, dash: number, overrule: WrittenOverrule): string {
  const { text } = list.yaml;
  const model = lastMapping(list);
  const column = keyColumn(text, dash, model);
  const eol = lineBreakOf(text);
  const lead = `${eol}${' '.repeat(dash)}-${' '.repeat(column - dash - 1)}`;
  if (model?.style === 'flow') return `${lead}${flowItem(list, overrule)}`;
  return `${lead}${fields(list, overrule, false).join(`${eol}${' '.repeat(column)}`)}`;
}

function flowItem(list: EditedList, overrule: WrittenOverrule): string {
  const model = lastMapping(list, 'flow');
  const pad = model !== undefined && /^\{ /.test(list.yaml.text.slice(model.start)) ? ' ' : '';
  return `{${pad}${fields(list, overrule, true).join(', ')}${pad}}`;
}

function fields(list: EditedList, overrule: WrittenOverrule, inFlow: boolean): string[] {
  return Object.entries(overrule).map(
    ([key, value]) => `${flowKey(list, key)}: ${scalarText(value, 'plain', { inFlow, json: list.yaml.json })}`,
  );
}

const COLUMNS: readonly Column<WrittenOverrule>[] = [
  { title: 'TRACK', cell: ({ track }) => track },
  { title: 'ACTION', cell: ({ action }) => action },
  { title: 'IMAGE', cell: ({ image }) => image ?? 'every image' },
  { title: 'DIGEST', cell: ({ digest }) => digest ?? '', wide: true },
  { title: 'UNTIL', cell: ({ until }) => until ?? '' },
  { title: 'REASON', cell: ({ reason }) => reason },
];

export function overruleListing(rows: readonly WrittenOverrule[]): ListedRows {
  const kind = { kind: 'Overrule', noun: 'overrule' };
  return listedRows({ ...kind, rows, columns: COLUMNS, name: ({ track }) => track, item: (overrule) => overrule });
}
