import { EchelonError } from '../../base/index.ts';
import type { NewValue, TargetValue } from '../plan/plan-edits.ts';
import { changeText, type UndoneChange } from '../plan/promotion-plan.ts';
import type { Repository } from '../ports.ts';
import { earlierValue } from '../targets/earlier-values.ts';
import type { Sources } from '../targets/find-targets.ts';

/** Values from before the last change of targets. */
export interface Rollback {
  readonly undoes: UndoneChange;
  /** Only those of targets that the change touched. */
  readonly values: readonly TargetValue[];
  readonly newValue: NewValue;
}

interface RollbackFrom {
  readonly repository: Repository;
  /** Path from the root of the repository to the instance. */
  readonly prefix: string;
  /** The commit whose history is read. */
  readonly ref: string;
  readonly read: Sources['read'];
}

/** Commits that change files of targets, read at most: promotions are seldom more than a few apart. */
const MOST_CHANGES = 500;

/**
 * What the targets held before they were last changed, by whatever commit on the line of first parents. Targets that the
 * change did not touch stay. Throws if a place of a touched target was not there then.
 */
export async function findRollback(
  from: RollbackFrom,
  upstream: string,
  values: readonly TargetValue[],
): Promise<Rollback> {
  const changes = await lastChanges(from, values);
  const [last] = changes;
  if (last === undefined) throw await nothingToUndo(from, upstream);
  const touched = new Set([...last.before.keys()].map(({ target }) => target.name));
  const concerned = values.filter(({ target }) => touched.has(target.name));
  const missing = concerned.filter((value) => last.missing.has(value));
  if (missing.length > 0) throw placesMissing(last, missing);
  const undoes = { ...last.undoes, isRollback: isWayBack(changes) };
  return { undoes, values: concerned, newValue: (value) => last.before.get(value) ?? value.old };
}

/** A change of values on the way to what they are now. */
interface Change {
  readonly undoes: Omit<UndoneChange, 'isRollback'>;
  /** Values that it changed, as they were before it. */
  readonly before: ReadonlyMap<TargetValue, string>;
  /** Values whose place was not there before it. */
  readonly missing: ReadonlySet<TargetValue>;
}

/** The last change of any of the values, and the one before it of what that changed; the newest first. */
async function lastChanges(from: RollbackFrom, values: readonly TargetValue[]): Promise<Change[]> {
  const { repository, prefix, ref, read } = from;
  const files = [...new Set(values.map(({ location }) => location.file))];
  const paths = files.map((file) => `${prefix}${file}`);
  const commits = await repository.pathHistory(ref, paths, MOST_CHANGES);
  const steps = [
    // What is not committed comes first: it differs from the commit that is checked out.
    { before: ref, undoes: { subject: 'changes that are not committed' } },
    ...commits.flatMap(({ sha, parent, message }) =>
      parent === undefined
        ? []
        : [{ before: parent, undoes: { commit: sha, subject: message.split('\n', 1)[0] ?? '' } }],
    ),
  ];
  const found: Change[] = [];
  const missing = new Set<TargetValue>();
  let open = values.map((value) => ({ value, held: value.old }));
  for (const { before, undoes } of steps) {
    const change = await changeSince(open, (file) => repository.readFile(before, `${prefix}${file}`), read);
    // A place that comes back later is another one.
    for (const value of change.missing) missing.add(value);
    open = open.filter(({ value }) => !missing.has(value));
    if (change.before.size === 0) continue;
    found.push({ undoes, before: change.before, missing: new Set(missing) });
    if (found.length === 2) break;
    open = [...change.before].map(([value, held]) => ({ value, held }));
  }
  return found;
}

async function changeSince(
  open: readonly { readonly value: TargetValue; readonly held: string }[],
  readThen: (file: string) => Promise<Uint8Array | undefined>,
  readNow: Sources['read'],
): Promise<Pick<Change, 'before' | 'missing'>> {
  const before = new Map<TargetValue, string>();
  const missing = new Set<TargetValue>();
  for (const [file, own] of Map.groupBy(open, ({ value }) => value.location.file)) {
    const texts = { now: readNow(file), earlier: await readThen(file) };
    for (const { value, held } of own) {
      const was = await earlierValue(value.location, texts);
      if (was === undefined) missing.add(value);
      else if (was !== held) before.set(value, was);
    }
  }
  return { before, missing };
}

/** Whether the last change brought back what was there before the one before it. */
function isWayBack([last, previous]: readonly Change[]): boolean {
  if (last === undefined || previous === undefined) return false;
  const values = [...last.before.keys()].filter((value) => value.form !== 'digest' && previous.before.has(value));
  return values.length > 0 && values.every((value) => previous.before.get(value) === value.old);
}

async function nothingToUndo({ repository }: RollbackFrom, upstream: string): Promise<EchelonError> {
  if (await repository.isShallow()) {
    return new EchelonError({
      code: 'HISTORY_SHALLOW',
      message: `${repository.root} is a shallow clone: the commits that it has change no target of ${upstream}`,
      hint: 'fetch the rest of its history with git fetch --unshallow',
    });
  }
  return new EchelonError({
    code: 'PROMOTION_UNKNOWN',
    message: `no commit in the history of this branch changed a target of ${upstream}`,
    hint: 'promote an older commit instead: echelon promote plan --to COMMIT --allow-rollback',
  });
}

const FEW = 3;

function placesMissing({ undoes, before }: Change, missing: readonly TargetValue[]): EchelonError {
  const names = missing.slice(0, FEW).map(({ location, line }) => `${location.file}:${line}`);
  const more = missing.length > FEW ? ` and ${missing.length - FEW} more` : '';
  const targets = [...new Set(missing.map(({ target }) => target.name))];
  const [version = 'COMMIT'] = before.values();
  return new EchelonError({
    code: 'ROLLBACK_PLACE_MISSING',
    message: `${names.join(', ')}${more} of ${targets.join(', ')} ${missing.length === 1 ? 'was' : 'were'} not there before ${changeText(undoes)}, so there is no earlier value. Nothing was promoted`,
    hint: `promote an earlier version to all of them: echelon promote plan --to ${version} --allow-rollback, or exclude them with --except`,
  });
}
