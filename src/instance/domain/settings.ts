import * as z from 'zod';
import type { Steps } from '../../base/index.ts';
import { type Collection, type Reading, readEach } from './reading.ts';
import { SCHEMA } from './schemas.ts';

const settings = z.object({
  name: z.string(),
  repoUrl: z.string(),
  hashLength: z.number().int(),
  vault: z.boolean().exactOptional(),
  mergeRequestGateway: z.string().exactOptional(),
});

/** Instance-wide settings. */
export interface Settings extends z.infer<typeof settings> {
  readonly file: string;
}

export function readSettings(reading: Reading): Steps<Collection<Settings>> {
  return readEach(reading, { what: 'settings file', schemas: [SCHEMA.settings] }, settings, (raw, { path }) => ({
    file: path,
    ...raw,
  }));
}
