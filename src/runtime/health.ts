import type { SteadyClock } from './clock.ts';
import { type HttpRequest, type HttpResponse, type HttpServer, isRead, serve } from './http/server.ts';
import type { Metrics } from './metrics.ts';

export interface HealthState {
  readonly ok: boolean;
  /** One line of plain text. */
  readonly reason: string;
}

/** The state that probes read. */
interface Health {
  /** Whether the loop is still running; if not, only a restart helps. */
  live(): HealthState;
  /** Whether the process is working, or on standby. */
  ready(): HealthState;
}

/** Events that the loop reports. */
export interface LoopHealth extends Health {
  /** A pass started or ended, successfully or not. */
  beat(): void;
  /** A pass succeeded. */
  succeeded(): void;
  /** On standby, such as for the lease, until the next beat. */
  waiting(reason: string): void;
  /** Sets or clears why this process cannot lead: not ready, though a restart would not help. */
  setBlocked(problem: string | undefined): void;
}

const SHORTEST_LIMIT_SECONDS = 30 * 60;
const POLLS = 3;

/** How long a pass that has timed out may take to end. */
const STOPPING_SECONDS = 60;

/** How long the loop may be silent: a pass over a large fleet takes minutes, and polls may be far apart. */
export function silenceLimitSeconds(pollSeconds: number, timeoutSeconds = 0): number {
  return Math.max(SHORTEST_LIMIT_SECONDS, POLLS * pollSeconds, timeoutSeconds + STOPPING_SECONDS);
}

export function createHealth(clock: Pick<SteadyClock, 'steady'>, limitSeconds = SHORTEST_LIMIT_SECONDS): LoopHealth {
  let last = clock.steady();
  let ready = false;
  let waiting: string | undefined;
  let problem: string | undefined;
  const beat = (): void => {
    last = clock.steady();
    waiting = undefined;
  };
  return {
    beat,
    succeeded: () => {
      beat();
      ready = true;
    },
    waiting: (reason) => {
      beat();
      waiting = reason;
    },
    setBlocked: (why) => {
      problem = why;
    },
    live: () => {
      if (waiting !== undefined) return { ok: true, reason: waiting };
      const silent = Math.floor((clock.steady() - last) / 1000);
      return silent <= limitSeconds
        ? { ok: true, reason: `last activity ${silent} s ago` }
        : { ok: false, reason: `no activity for ${silent} s, limit ${limitSeconds} s` };
    },
    ready: () => {
      if (problem !== undefined) return { ok: false, reason: problem };
      if (waiting !== undefined) return { ok: true, reason: waiting };
      return ready ? { ok: true, reason: 'ready' } : { ok: false, reason: 'no pass has succeeded yet' };
    },
  };
}

export interface HealthServerOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** All IPv6 and IPv4 addresses of the machine when absent. */
  readonly host?: string | undefined;
  readonly metrics: Pick<Metrics, 'render' | 'contentType'>;
  readonly health: Health;
}

const LIMITS = { headerBytes: 8 * 1024, requestMs: 5_000 };
const HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };

const BIND_ERROR = {
  cannot: 'cannot serve metrics and health on',
  hints: {
    inUse: 'stop the other process, or set PROMETHEUS_PORT to another port',
    denied: 'set PROMETHEUS_PORT to 1024 or above',
    other: 'set PROMETHEUS_PORT to a port that this process can listen on',
  },
};

/** Serves `/metrics`, `/healthz` and `/readyz`: read-only, and nothing in them is secret. */
export function startHealthServer({ host, port, metrics, health }: HealthServerOptions): Promise<HttpServer> {
  const respond = async ({ method, target }: HttpRequest): Promise<HttpResponse> => {
    if (!isRead(method))
      return { ...text(405, 'method not allowed: use GET or HEAD'), headers: { allow: 'GET, HEAD' } };
    switch (target.split('?')[0]) {
      case '/metrics':
        return metricsPage(metrics);
      case '/healthz':
        return statePage(health.live());
      case '/readyz':
        return statePage(health.ready());
      default:
        return text(404, 'not found: use /metrics, /healthz or /readyz');
    }
  };
  return serve({ listen: { host, port }, limits: LIMITS, headers: HEADERS, respond, bindError: BIND_ERROR });
}

async function metricsPage(metrics: HealthServerOptions['metrics']): Promise<HttpResponse> {
  try {
    return { status: 200, body: await metrics.render(), type: metrics.contentType };
  } catch {
    return text(500, 'cannot collect metrics');
  }
}

function statePage({ ok, reason }: HealthState): HttpResponse {
  return text(ok ? 200 : 503, reason);
}

function text(status: number, line: string): HttpResponse {
  return { status, type: 'text/plain; charset=utf-8', body: `${line}\n` };
}
