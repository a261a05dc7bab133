import { type ListedRows, paintedDiff } from '../../base/index.ts';
import { unifiedDiff } from '../../promotion/index.ts';
import type { Io } from '../io.ts';
import { paintFor } from './colour.ts';
import { type Format, isForTerminal } from './format.ts';
import { printListing } from './listing.ts';

export interface EditFlags {
  readonly dryRun?: boolean;
  readonly output: Format;
  readonly color?: boolean;
}

interface Edits {
  readonly edits: Parameters<typeof unifiedDiff>[0];
  readonly rows: ListedRows;
  /** Included in documents. */
  readonly revision: string;
}

const CONTEXT_LINES = 3;

/** Prints changes of files: those of a dry run as a diff, unless a document is asked for, all others as a listing. */
export async function showEdits(io: Io, flags: EditFlags, { edits, rows, revision }: Edits): Promise<void> {
  const paint = paintFor(io.stdout, io.env, flags.color);
  if (flags.dryRun === true && isForTerminal(flags.output)) {
    io.stdout.write(paintedDiff(await unifiedDiff(edits, CONTEXT_LINES), paint));
  } else {
    await printListing(io, rows, { format: flags.output, paint, revision });
  }
}
