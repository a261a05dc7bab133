import type { UpgradeApi } from '../scheduler/ports.ts';
import type { LoginCredentials } from './credentials.ts';

/** How to connect to one OCM. */
export interface OcmAccess {
  readonly environment: string;
  readonly url: string;
  readonly tokenUrl?: string;
  /** Identifies the secret without revealing it: equal keys are equal logins. */
  readonly key: string;
  readonly clientId: string;
  credentials(): Promise<LoginCredentials>;
}

type OpenOcm = (access: OcmAccess, credentials: LoginCredentials, onToken: (status: number) => void) => UpgradeApi;

/** Statuses of a token server for invalid or expired credentials. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403]);

/** Connections, and so tokens, are reused between passes. One with rejected credentials is opened again. */
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
