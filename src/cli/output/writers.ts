import { EchelonError } from '../../base/index.ts';
import type { Io } from '../io.ts';
import type { Paint } from './colour.ts';
import { type DocumentFormat, document, type Format } from './format.ts';

export type Writer<Value> = (io: Io, value: Value, paint: Paint) => void | Promise<void>;

/**
 * How a command writes its result in each format; `undefined` where it does not support one. A format that is added to the
 * union is a type error in every table that lacks it.
 */
export type Writers<Value, F extends string = Format> = Readonly<Record<F, Writer<Value> | undefined>>;

/** The machine-readable formats, all from one document. */
export function documentWriters<Value>(
  documentOf: (value: Value) => object,
): Readonly<Record<DocumentFormat, Writer<Value>>> {
  const writer =
    (format: DocumentFormat): Writer<Value> =>
    async (io, value) =>
      io.stdout.write(await document(format, documentOf(value)));
  return { json: writer('json'), yaml: writer('yaml') };
}

/** The writer of a format; rejects a format that the command does not support, so call it before the work. */
export function writerFor<Value, F extends string>(
  writers: Writers<Value, F>,
  format: F,
  command: string,
): Writer<Value> {
  const writer = writers[format];
  if (writer !== undefined) return writer;
  const known = Object.entries(writers).flatMap(([name, each]) => (each === undefined ? [] : [name]));
  throw new EchelonError({
    code: 'FORMAT_UNSUPPORTED',
    message: `${command} does not support -o ${format}`,
    hint: `use -o ${known.join('|')}`,
  });
}
