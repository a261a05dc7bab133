/** New files with their texts, by path below the root of the instance. */
export type NewFiles = ReadonlyMap<string, string>;
