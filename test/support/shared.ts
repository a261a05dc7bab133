import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const REPO = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
export const EXAMPLE_INSTANCE = join(REPO, 'examples/instance');

const SHARED = join(REPO, '../shared');

/** The published JSON schemas of instances. They stand beside the repository, not in it. */
export const SCHEMAS = join(SHARED, 'contracts/qontract/schemas');
export const GRAPHQL_SCHEMA = join(SHARED, 'contracts/qontract/graphql-schemas/schema.yml');
export const hasShared = existsSync(SCHEMAS) && existsSync(GRAPHQL_SCHEMA);
