import { defined } from '../../src/base/index.ts';
import { type ManualClock, manualClock } from '../../src/sim/ocm/clock.ts';
import { DEFAULT_CLIENT } from '../../src/sim/ocm/fleet/expand.ts';
import { parseFleet } from '../../src/sim/ocm/fleet/read-fleet.ts';
import { type SimOcm, type SimOcmOptions, startSimOcm } from '../../src/sim/ocm/sim-ocm.ts';
import { smallFleet } from './sim-ocm-small-fleet.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed where it is JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export interface CallOptions {
  readonly method?: string;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  /** Instead of the token of the session; null sends none. */
  readonly authorization?: string | null;
  readonly signal?: AbortSignal;
}

/** A simulator with somebody logged in. */
export interface SimSession {
  readonly sim: SimOcm;
  readonly clock: ManualClock;
  call(path: string, options?: CallOptions): Promise<Answered>;
}

/** Starts a simulator of the small fleet, or of another, and logs in as its service. */
export async function simSession(parts: object = {}, options: Partial<SimOcmOptions> = {}): Promise<SimSession> {
  const fleet = options.fleet ?? parseFleet(smallFleet({ ...parts }));
  const clock = manualClock(new Date(fleet.start));
  const sim = await startSimOcm({ clock, ...options, fleet });
  const token = await logIn(sim.tokenUrl, { client_id: DEFAULT_CLIENT.id, client_secret: DEFAULT_CLIENT.secret });
  return { sim, clock, call: (path, call = {}) => send(sim.url, `Bearer ${token}`, path, call) };
}

export async function logIn(tokenUrl: string, credentials: Readonly<Record<string, string>>): Promise<string> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...credentials });
  const response = await fetch(tokenUrl, { method: 'POST', body: form });
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}

async function send(url: string, token: string, path: string, options: CallOptions): Promise<Answered> {
  const { method = 'GET', body, query = {}, authorization = token, signal } = options;
  const search = new URLSearchParams(query).toString();
  const response = await fetch(`${url}${path}${search === '' ? '' : `?${search}`}`, {
    method,
    headers: {
      ...(authorization === null ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...defined({ signal }),
  });
  const text = await response.text();
  const json = response.headers.get('content-type') === 'application/json' && text !== '';
  return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : {}, text };
}
