import { defined, type StateLocation } from '../../../base/index.ts';
import { systemHttpClock, type WritePermit } from '../../../clients/http/index.ts';
import {
  clockOf,
  createOcmClient,
  type OcmCall,
  type PlanClock,
  requireSimulated,
} from '../../../clients/ocm/index.ts';
import { openSecrets, secretField } from '../../../clients/secrets/index.ts';
import { openStore } from '../../../clients/state/index.ts';
import type { InstancePort, UpgradesPorts, UpgradesSettings } from '../../../upgrades/index.ts';
import { readConfig } from '../../config.ts';
import { type InstanceFlags, instanceSource } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import { readFile } from '../../read-file.ts';
import { version } from '../../version.ts';
import { ocmUpgradeApi } from './ocm-api.ts';
import { telemetry } from './telemetry.ts';

/** Common flags of the scheduler commands. */
export interface SourceFlags extends InstanceFlags, UpgradesSettings {
  readonly secretsDir?: string;
  readonly concurrency?: number;
  /** Wins over the query of the instance or the configuration file. */
  readonly healthQuery?: string;
}

interface PortOptions {
  /** Refuses every write in the transport. */
  readonly readOnly: boolean;
  /** Every attempt of every write needs it; all are permitted when absent. */
  readonly permit?: () => WritePermit | undefined;
  readonly clock?: PlanClock;
  readonly onCall?: (environment: string, clientId: string, call: OcmCall) => void;
}

/** What is printed is dated by the clock that decides. */
export function timed(io: Io, clock: PlanClock = clockOf(io.env)): Io {
  return { ...io, now: () => clock.now() };
}

/** The ports of the upgrades job, built from the clients of a command. */
export function upgradesPorts(io: Io, flags: SourceFlags, options: PortOptions): UpgradesPorts {
  const { env, cwd, signal, onSecret } = io;
  const { readOnly, permit, onCall } = options;
  const { simulated, ...local } = clockOf(env);
  const clock = options.clock ?? local;
  const ocmClock = simulated || clock.sleep !== undefined ? { ...systemHttpClock, ...clock } : undefined;
  return {
    ...{ env, cwd, signal, clock, readFile, openStore: (place: StateLocation) => openStore(io, place) },
    ...defined({ onSecret }),
    instance: () => instancePort(io, flags),
    openOcm: ({ environment, url, tokenUrl, clientId }, credentials, onToken) => {
      if (simulated) requireSimulated(url);
      return ocmUpgradeApi(
        createOcmClient({
          ...{ url, credentials, readOnly, signal, userAgent: `echelon/${version()}` },
          ...defined({ tokenUrl, permit, concurrency: flags.concurrency, clock: ocmClock }),
          onCall: (call) => {
            // An access token is not renewed by a token server: a refused one may have a successor in its file.
            const isRefused = credentials.kind === 'access-token' && call.status === 401;
            if (call.collection === 'token' || isRefused) onToken(call.status);
            onCall?.(environment, clientId, call);
          },
        }),
      );
    },
    openTelemetry: (access) => telemetry({ ...access, signal, ...defined({ query: flags.healthQuery }) }),
  };
}

async function instancePort(io: Io, flags: SourceFlags): Promise<InstancePort> {
  const source = await instanceSource(io, flags);
  const config = await readConfig(io, flags.config);
  return {
    source,
    secrets: ({ settings }) => {
      const reader = openSecrets({
        env: io.env,
        config: config.all ?? {},
        signal: io.signal,
        ...defined({ folder: flags.secretsDir, settingsVault: settings?.vault, onSecret: io.onSecret }),
      });
      return (secret) => secretField(reader, secret);
    },
  };
}
