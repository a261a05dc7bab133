/** What an instance is read from. */
export const INSTANCE_PATHS: readonly string[] = ['data', 'resources', '.env'];
