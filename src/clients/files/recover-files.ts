import { EchelonError, messageOf } from '../../base/index.ts';
import { DISK, type Disk } from './disk.ts';
import { claimJournal, readJournal } from './edit-journal.ts';
import { type JournalPlace, journalPlace } from './journal-place.ts';
import { type UndoneEdit, undoEdit } from './undo-edit.ts';

/** Undoes changes of files in a folder's repository that were interrupted, and removes what they left behind. */
export function recoverFiles(root: string): UndoneEdit {
  return recoverPlace(journalPlace(root));
}

export function recoverPlace(place: JournalPlace, disk: Disk = DISK): UndoneEdit {
  const restored: string[] = [];
  const changedSince: string[] = [];
  try {
    for (let journal = claimJournal(place, disk); journal !== undefined; journal = claimJournal(place, disk)) {
      const undone = undoEdit(place.top, readJournal(journal), disk);
      disk.rmSync(journal, { force: true });
      restored.push(...undone.restored);
      changedSince.push(...undone.changedSince);
    }
  } catch (thrown) {
    if (thrown instanceof EchelonError) throw thrown;
    throw notRecovered(place, thrown);
  }
  return { restored, changedSince };
}

function notRecovered({ top, folder }: JournalPlace, thrown: unknown): EchelonError {
  return new EchelonError({
    code: 'WRITE_FAILED',
    message: `cannot undo an interrupted change of files in ${top}: ${messageOf(thrown)}`,
    hint: `check the permissions there and in ${folder}, and the free disk space, and run the command again`,
  });
}
