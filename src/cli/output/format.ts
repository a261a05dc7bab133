/** The consumer of a format: a terminal, a program, a script that needs names, or a web page. */
const AUDIENCE = {
  table: 'terminal',
  wide: 'terminal',
  json: 'program',
  yaml: 'program',
  name: 'script',
  markdown: 'page',
} as const;

export type Format = keyof typeof AUDIENCE;
/** Formats whose output is a single document. */
export type DocumentFormat = { [F in Format]: (typeof AUDIENCE)[F] extends 'program' ? F : never }[Format];

export const FORMATS = Object.keys(AUDIENCE) as readonly Format[];

/** Version of all machine-readable documents; changes within it are only additions. */
export const API_VERSION = 'echelon/v1';

export function isDocument(format: Format): format is DocumentFormat {
  return AUDIENCE[format] === 'program';
}

export function isForTerminal(format: Format): boolean {
  return AUDIENCE[format] === 'terminal';
}

/** A machine-readable document. Text that YAML 1.1 or 1.2 would parse as another type is quoted. */
export async function document(format: DocumentFormat, value: object): Promise<string> {
  return SERIALIZERS[format](value);
}

const SERIALIZERS: Readonly<Record<DocumentFormat, (value: object) => string | Promise<string>>> = {
  json: (value) => `${JSON.stringify(value, undefined, 2)}\n`,
  yaml: async (value) => {
    const { dump } = await import('js-yaml');
    return dump(JSON.parse(JSON.stringify(value)), { noRefs: true, lineWidth: -1 });
  },
};
