import type { Io } from '../../io.ts';
import type { Paint } from '../../output/colour.ts';

const CONTEXT_LINES = 3;

/** A unified diff of one file, as git apply takes it; nothing where the file stays as it is. */
export async function printDiff(
  io: Io,
  file: string,
  { before, after }: { readonly before: Uint8Array; readonly after: Uint8Array },
  paint: Paint,
): Promise<void> {
  if (before === after) return;
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff');
  const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const text = createTwoFilesPatch(`a/${file}`, `b/${file}`, decode(before), decode(after), undefined, undefined, {
    context: CONTEXT_LINES,
    headerOptions: FILE_HEADERS_ONLY,
  });
  io.stdout.write(
    text
      .split('\n')
      .map((line) => painted(line, paint))
      .join('\n'),
  );
}

function painted(line: string, paint: Paint): string {
  if (line.startsWith('+++') || line.startsWith('---')) return paint('bold', line);
  if (line.startsWith('@@')) return paint('cyan', line);
  return line.startsWith('+') ? paint('green', line) : line.startsWith('-') ? paint('red', line) : line;
}
