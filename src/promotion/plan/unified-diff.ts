import type { FileEdit } from './plan-edits.ts';

/** The difference as git shows it, with so many lines around each change. */
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
