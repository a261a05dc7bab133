/** The output formats of the existing plugin. */
export const AUS_FORMATS = ['table', 'json', 'yaml'] as const;
export type AusFormat = (typeof AUS_FORMATS)[number];
