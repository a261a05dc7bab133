import type { UpgradeApi } from '../scheduler/upgrade-api.ts';
import type { LoginCredentials } from './credentials.ts';

/** How to get at one OCM. */
export interface OcmAccess {
  readonly environment: string;
  readonly url: string;
  readonly tokenUrl?: string;
  /** Names the secret without being it: equal keys are equal logins. */
  readonly key: string;
  readonly clientId: string;
  credentials(): Promise<LoginCredentials>;
}

type OpenOcm = (access: OcmAccess, credentials: LoginCredentials, onToken: (status: number) => void) => UpgradeApi;

/** Statuses by which a server of tokens says that credentials are not valid, or not any more. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403]);

/** Connections last from pass to pass, so that tokens do. One whose credentials were refused is made anew. */
export type Connect = (access: OcmAccess) => () => Promise<UpgradeApi>;

export function ocmConnections(openOcm: OpenOcm): Connect {
  const open = new Map<string, Promise<UpgradeApi>>();
  const make = async (access: OcmAccess, forget: () => void): Promise<UpgradeApi> =>
    openOcm(access, await access.credentials(), (status) => {
      if (REFUSED.has(status)) forget();
    });
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
