import type { StateLocation, StateStore } from '../../base/index.ts';
import type { Instance, InstanceSource, VaultSecret } from '../../instance/index.ts';
import type { HealthProvider, UpgradeApi } from '../scheduler/ports.ts';

/** How to reach a Prometheus with cluster health. */
export interface TelemetryAccess {
  readonly url: string;
  readonly tokenUrl?: string;
  /** Instead of the default query. */
  readonly query?: string;
  credentials(): Promise<LoginCredentials>;
}

/** An instance, and how its secrets are read. */
export interface InstancePort {
  readonly source: InstanceSource;
  secrets(instance: Instance): (secret: VaultSecret) => Promise<string>;
}

/** What the upgrades job needs from outside; clients and simulators implement it. */
export interface UpgradesPorts extends FilePorts {
  readonly clock: { now(): Date };
  readonly signal: AbortSignal;
  /** Called only without a configuration file. */
  instance(): Promise<InstancePort>;
  /** A client of one OCM; `onToken` is called with the status of every token response. */
  openOcm(access: OcmAccess, credentials: LoginCredentials, onToken: (status: number) => void): UpgradeApi;
  openTelemetry(access: TelemetryAccess): HealthProvider;
  openStore(place: StateLocation): StateStore;
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** Files and environment variables that settings refer to. */
export interface FilePorts {
  readonly env: Variables;
  /** File names are relative to this folder; an absolute path. */
  readonly cwd: string;
  /** The whole content of a text file. Throws with the system's `code`, and with `EFBIG` if it is larger. */
  readFile(path: string, maxBytes?: number): string;
  /** Called with every secret that becomes known. */
  readonly onSecret?: (secret: string) => void;
}

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

/** Credentials for OCM, or for a service that accepts the same tokens. */
export type LoginCredentials =
  | { readonly kind: 'client-credentials'; readonly clientId: string; readonly clientSecret: string }
  /** An offline token. */
  | { readonly kind: 'refresh-token'; readonly token: string; readonly clientId?: string }
  | { readonly kind: 'access-token'; readonly token: string };
