import { EchelonError } from '../../base/index.ts';

export const FORMATS = ['table', 'wide', 'json', 'yaml', 'name', 'markdown'] as const;
export type Format = (typeof FORMATS)[number];

/** Version of every machine-readable document; changes within it only add. */
export const API_VERSION = 'echelon/v1';

/** A document for programs. Text that YAML 1.1 or 1.2 would read as something else is quoted. */
export async function document(format: 'json' | 'yaml', value: object): Promise<string> {
  if (format === 'json') return `${JSON.stringify(value, undefined, 2)}\n`;
  const { dump } = await import('js-yaml');
  return dump(JSON.parse(JSON.stringify(value)), { noRefs: true, lineWidth: -1 });
}

/** Refuses a format that a command has no use for. */
export function requireFormat(format: Format, allowed: readonly Format[], command: string): void {
  if (allowed.includes(format)) return;
  throw new EchelonError({
    code: 'FORMAT_UNSUPPORTED',
    message: `${command} has no output format ${format}`,
    hint: `use -o ${allowed.join('|')}`,
  });
}
