import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { defined, EchelonError } from '../../../base/index.ts';
import { isInCluster } from '../../../clients/kube/index.ts';
import { prometheusQuery } from '../../../clients/prometheus.ts';
import { openStore } from '../../../clients/state/index.ts';
import { instantOf, MICROS } from '../../../gates/index.ts';
import type { ManagerFile } from '../../../instance/index.ts';
import { defaultRecordPlace, givenRecordPlace, operatedScope, type RolloutPorts } from '../../../manager/index.ts';
import { type RecordedScope, recordedScope, recordKey, rolloutRecords } from '../../../rollouts/index.ts';
import { systemClock } from '../../../runtime/index.ts';
import { readFile, rolloutsText } from '../../instance.ts';
import type { Io } from '../../io.ts';

export interface RolloutFlags {
  readonly rollouts?: string;
  readonly rolloutRecord?: string;
  readonly prometheus?: string;
  readonly prometheusTokenFile?: string;
  readonly environmentName?: string;
  readonly upstream?: string;
  /** Seconds between two passes of the manager. */
  readonly poll?: number;
}

/** How often a manager looks at a fleet unless it is told otherwise. */
const DEFAULT_PERIOD_SECONDS = 60;

interface RolloutOptions {
  /** Whether shards may be moved: by the holder of the lease. */
  readonly mayMove: () => boolean;
  readonly periodSeconds?: number | undefined;
}

/** Rollouts with the record and the Prometheus of the flags. */
export function rolloutPorts(io: Io, flags: RolloutFlags, { mayMove, periodSeconds }: RolloutOptions): RolloutPorts {
  const given = givenRecordPlace(flags.rolloutRecord, io);
  const place = given ?? defaultRecordPlace({ ...io, home: homedir(), isInCluster: isInCluster(io.env) });
  let key = recordKey(operatedScope(flags, io.env));
  return {
    records: rolloutRecords(openStore(io, place), () => key),
    useScope: (scope) => {
      key = recordKey(scope);
    },
    isRequired: given !== undefined || flags.rollouts !== undefined,
    now: () => instantOf((io.now?.() ?? systemClock.now()).getTime()),
    period: (periodSeconds ?? flags.poll ?? DEFAULT_PERIOD_SECONDS) * MICROS.second,
    mayMove,
    ...defined({ file: fileOf(io, flags.rollouts), query: queryOf(io, flags) }),
  };
}

/** The records of a place that is given, for those who only forecast. */
export function recordedScopes(io: Io, flags: Pick<RolloutFlags, 'rolloutRecord'>): RecordedScope | undefined {
  const given = givenRecordPlace(flags.rolloutRecord, io);
  return given === undefined ? undefined : recordedScope(openStore(io, given));
}

/** The record of the manager that these flags and the defaults of a manager.yml describe. */
export function recordsOf(io: Io, flags: RolloutFlags, file: ManagerFile | undefined): RolloutPorts['records'] {
  const { records, useScope } = rolloutPorts(io, flags, { mayMove: () => false });
  useScope?.(operatedScope(flags, io.env, file));
  return records;
}

function fileOf(io: Io, name: string | undefined): RolloutPorts['file'] {
  if (name === undefined) return undefined;
  return async () => ({ ...rolloutsText(io, name), name });
}

function queryOf(io: Io, { prometheus, prometheusTokenFile }: RolloutFlags): RolloutPorts['query'] {
  const address = prometheus ?? (io.env['ECHELON_PROMETHEUS'] || undefined);
  if (address === undefined) return undefined;
  if (!URL.canParse(address)) {
    const hint = 'use the address of a Prometheus, such as https://prometheus.example.com';
    throw new EchelonError({ code: 'FLAG_INVALID', message: `--prometheus ${address} is not a URL`, hint });
  }
  const url = new URL('api/v1/query', address.endsWith('/') ? address : `${address}/`).href;
  const tokenFile = prometheusTokenFile ?? (io.env['ECHELON_PROMETHEUS_TOKEN_FILE'] || undefined);
  const credentials =
    tokenFile === undefined
      ? undefined
      : async () => ({ kind: 'access-token' as const, token: tokenIn(io, tokenFile) });
  const query = prometheusQuery({ url, env: io.env, signal: io.signal, ...defined({ credentials }) });
  return async (promql, stop) => (await query(promql, stop)).map(({ value }) => value);
}

/** Read for every query: tokens are renewed in their file. */
function tokenIn(io: Io, file: string): string {
  try {
    const token = readFile(resolve(io.cwd, file)).trim();
    io.onSecret?.(token);
    return token;
  } catch (thrown) {
    throw new EchelonError({
      code: 'FLAG_INVALID',
      message: `cannot read the token of the Prometheus, ${file}: ${(thrown as NodeJS.ErrnoException).code}`,
      hint: 'check --prometheus-token-file',
      cause: thrown,
    });
  }
}
