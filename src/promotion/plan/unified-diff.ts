import type { FileEdit } from '../../instance/index.ts';

/** A unified diff in git's format, with the given number of context lines. */
export async function unifiedDiff(files: readonly FileEdit[], context = 1): Promise<string> {
  if (files.length === 0) return '';
  const { createTwoFilesPatch } = await import('diff');
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
  return files
    .map(({ file, before, after }) =>
      createTwoFilesPatch(`a/${file}`, `b/${file}`, text(before), text(after), undefined, undefined, {
        context,
      }).replace(/^=+\n/, ''),
    )
    .join('');
}
