type Level = 'debug' | 'info' | 'warn' | 'error';

const LEVELS: Readonly<Record<string, Level>> = {
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  WARNING: 'warn',
  ERROR: 'error',
  CRITICAL: 'error',
  FATAL: 'error',
};

/** `[ERROR] text`, or `ERROR: text` and `ERROR:name:text`, as Python's logging prints by default. */
const LEADING = /^(?:\[([A-Z]+)\]\s*|([A-Z]+):\s*)(?=\S)/;

/** A line of a command's output as an event: its own level and text, else that of the stream. Undefined for an empty one. */
export function outputEvent(
  line: string,
  stream: 'stdout' | 'stderr',
): { readonly level: Level; readonly text: string } | undefined {
  const text = line.trimEnd();
  if (text === '') return undefined;
  const found = LEADING.exec(text);
  const level = LEVELS[found?.[1] ?? found?.[2] ?? ''];
  if (found === null || level === undefined) return { level: stream === 'stdout' ? 'info' : 'warn', text };
  return { level, text: text.slice(found[0].length) };
}
