import { defined } from '../../../base/index.ts';
import { createOcmClient, type OcmCall, type OcmCredentials } from '../../../clients/ocm/index.ts';
import type { UpgradeApi } from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import { version } from '../../version.ts';
import { ocmUpgradeApi } from './ocm-api.ts';

export interface ConnectionOptions {
  /** Refuses every write in the transport. */
  readonly readOnly: boolean;
  readonly concurrency?: number;
  readonly onCall?: (environment: string, clientId: string, call: OcmCall) => void;
}

/** How to get at one OCM. */
export interface OcmAccess {
  readonly environment: string;
  readonly url: string;
  readonly tokenUrl?: string;
  /** Names the secret without being it: equal keys are equal logins. */
  readonly key: string;
  readonly clientId: string;
  credentials(): Promise<OcmCredentials>;
}

/** Statuses by which a server of tokens says that credentials are not good, or not any more. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403]);

/** Connections last from pass to pass, so that tokens do. One whose credentials were refused is made anew. */
export type Connect = (access: OcmAccess) => () => Promise<UpgradeApi>;

export function ocmConnections(io: Io, options: ConnectionOptions): Connect {
  const open = new Map<string, Promise<UpgradeApi>>();
  const make = async (access: OcmAccess, forget: () => void): Promise<UpgradeApi> => {
    const { environment, url, tokenUrl, clientId, credentials } = access;
    const client = createOcmClient({
      ...{ url, credentials: await credentials(), readOnly: options.readOnly, signal: io.signal },
      userAgent: `echelon/${version()}`,
      ...defined({ tokenUrl, concurrency: options.concurrency }),
      onCall: (call) => {
        if (call.collection === 'token' && REFUSED.has(call.status)) forget();
        options.onCall?.(environment, clientId, call);
      },
    });
    return ocmUpgradeApi(client);
  };
  return (access) => {
    const key = JSON.stringify([access.environment, access.url, access.tokenUrl, access.key]);
    const forget = (): void => void open.delete(key);
    return () => {
      const known = open.get(key) ?? make(access, forget);
      open.set(key, known);
      known.catch(forget);
      return known;
    };
  };
}
