import { defined } from '../../../base/index.ts';
import { createOcmClient } from '../../../clients/ocm/index.ts';
import { type LoginSettings, openPolicies, type PolicyService, userLogin } from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import { readFile } from '../../read-file.ts';
import { version } from '../../version.ts';

/** Common flags of the user commands. */
export interface AusFlags extends LoginSettings {
  readonly orgId?: string;
  readonly color?: boolean;
}

/** The policies of an organization in the user's OCM. With read-only, every write is refused before it is sent. */
export function openAus(
  io: Io,
  flags: AusFlags,
  { readOnly }: { readonly readOnly: boolean },
): { readonly service: PolicyService; readonly url: string } {
  const { signal } = io;
  const { url, credentials, tokenUrl } = userLogin({ ...io, readFile }, flags);
  const client = createOcmClient({
    ...{ url, credentials, readOnly, signal, userAgent: `echelon/${version()}` },
    ...defined({ tokenUrl }),
  });
  return { service: openPolicies(client, flags.orgId), url };
}
