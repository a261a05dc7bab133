import type { Pen } from './pen.ts';

/** A unified diff for a terminal. */
export function paintedDiff(diff: string, paint: Pen['paint']): string {
  return diff
    .split('\n')
    .map((line) => paintedLine(line, paint))
    .join('\n');
}

function paintedLine(line: string, paint: Pen['paint']): string {
  if (line.startsWith('+++') || line.startsWith('---')) return paint('bold', line);
  if (line.startsWith('@@')) return paint('cyan', line);
  return line.startsWith('+') ? paint('green', line) : line.startsWith('-') ? paint('red', line) : line;
}
