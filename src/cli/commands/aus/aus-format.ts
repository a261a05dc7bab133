/** What the plugin writes, as its users know it. */
export const AUS_FORMATS = ['table', 'json', 'yaml'] as const;
export type AusFormat = (typeof AUS_FORMATS)[number];
