import { fieldDocument, fieldLines, findField, findKind, jsonSchemaOf, kindListing } from '../../fields/index.ts';
import { EXIT } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { paintFor } from '../output/colour.ts';
import { API_VERSION, document, type Format } from '../output/format.ts';
import { printListing } from '../output/listing.ts';
import { line } from '../output/terminal.ts';
import { documentWriters, type Writer, type Writers, writerFor } from '../output/writers.ts';

export interface ExplainFieldFlags {
  readonly recursive?: boolean;
  readonly output: Format;
  readonly color?: boolean;
}

type Found = ReturnType<typeof findField>;

/** Shows the fields of a kind of file, or lists the kinds. */
export async function explainField(io: Io, path: string | undefined, flags: ExplainFieldFlags): Promise<number> {
  const paint = paintFor(io.stdout, io.env, flags.color);
  if (path === undefined) await printListing(io, kindListing(), { format: flags.output, paint });
  else await writerFor(writers(flags.recursive === true), flags.output, 'explain')(io, findField(path), paint);
  return EXIT.ok;
}

function writers(recursive: boolean): Writers<Found> {
  const text: Writer<Found> = (io, found, paint) => {
    const width = Math.min(io.stdout.columns ?? 100, 120);
    for (const each of fieldLines(found, { recursive, width }))
      io.stdout.write(line(each.startsWith(' ') ? each : paint('bold', each)));
  };
  return {
    ...{ table: text, wide: text, name: undefined, markdown: undefined },
    ...documentWriters((found: Found) => ({
      ...{ apiVersion: API_VERSION, kind: 'FieldExplanation' },
      ...fieldDocument(found),
    })),
  };
}

/** Prints the JSON Schema of a kind of file. */
export async function schema(io: Io, kind: string): Promise<number> {
  io.stdout.write(await document('json', jsonSchemaOf(findKind(kind))));
  return EXIT.ok;
}
