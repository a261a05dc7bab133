import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EchelonError, messageOf } from '../../base/index.ts';
import type { SimClock } from './clock.ts';
import type { FleetFile } from './fleet/fleet.ts';
import { CONTROL_PATH, control } from './http/control.ts';
import { type Fault, Faults } from './http/faults.ts';
import { gatewayReply, jsonReply, send } from './http/reply.ts';
import { type RecordedRequest, RequestLog } from './http/requests.ts';
import { type Site, serve } from './http/serve.ts';
import { TOKEN_PATH, Tokens } from './http/tokens.ts';
import type { Limits } from './world/state.ts';
import { createWorlds, type World } from './world/world.ts';

export interface SimOcmOptions {
  readonly fleet: FleetFile;
  /** Port of the first environment; the others follow. 0 or absent: free ports. */
  readonly port?: number;
  readonly clock: SimClock;
  readonly seed?: number;
  /** Delay of every response. */
  readonly latencyMs?: number;
  readonly limits?: Partial<Limits>;
  /** Longer request lines, `GET /api/… HTTP/1.1`, get 414; 0: no limit. */
  readonly maxUrlBytes?: number;
}

/** One OCM with its own URL, like production and stage. */
export interface SimEnvironment {
  readonly name: string;
  readonly url: string;
  readonly tokenUrl: string;
  /** A Prometheus with the unhealthy clusters. */
  readonly telemetryUrl: string;
  readonly world: World;
}

export interface SimOcm {
  /** Of the first environment, like `tokenUrl` and `world`. */
  readonly url: string;
  readonly tokenUrl: string;
  readonly world: World;
  readonly environments: ReadonlyMap<string, SimEnvironment>;
  /** Requests to all environments, in order, without those to the simulator itself. */
  readonly requests: readonly RecordedRequest[];
  clearRequests(): void;
  /** Returns a function that removes the fault. */
  addFault(fault: Fault): () => void;
  clearFaults(): void;
  /** Advances the clock, if it is virtual, and processes everything until then. */
  advanceTo(moment: Date): Promise<void>;
  close(): Promise<void>;
}

/** The usual limit of gateways; OCM documents none. */
const DEFAULT_MAX_URL_BYTES = 8 * 1024;
const MAX_BODY_BYTES = 1024 * 1024;
/** Above the URL limit, so that the URL limit applies first. */
const MAX_HEADER_BYTES = 1024 * 1024;

/** Serves every environment of a fleet on 127.0.0.1, each on a port of its own. */
export async function startSimOcm(options: SimOcmOptions): Promise<SimOcm> {
  const { fleet, clock, seed = 1, port = 0 } = options;
  const worlds = createWorlds(fleet, seed, options.limits);
  const faults = new Faults(seed);
  const requests = new RequestLog();
  const advanceTo = (moment: Date): Promise<void> => advanceAll(clock, worlds, moment);
  const issuers = new Map<string, Tokens>();
  const offlineTokens = () =>
    [...issuers].flatMap(([environment, tokens]) => tokens.offlineTokens().map((each) => ({ environment, ...each })));
  const controls = { worlds, clock, faults, requests, advanceTo, offlineTokens };
  const servers: Server[] = [];
  const environments = new Map<string, SimEnvironment>();
  try {
    for (const world of worlds.values()) {
      const tokens = new Tokens(world.accounts, clock);
      issuers.set(world.environment, tokens);
      const site: Site = {
        world,
        clock,
        faults,
        requests,
        tokens,
        latencyMs: options.latencyMs ?? 0,
        maxUrlBytes: options.maxUrlBytes ?? DEFAULT_MAX_URL_BYTES,
      };
      const answer = (incoming: IncomingMessage, response: ServerResponse) =>
        void respond(site, controls, incoming, response);
      const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, answer);
      servers.push(server);
      const url = await listen(server, port === 0 ? 0 : port + environments.size);
      environments.set(world.environment, environmentAt(url, world));
    }
  } catch (thrown) {
    await closeAll(servers);
    throw thrown;
  }
  const first = firstOf(environments);
  return {
    url: first.url,
    tokenUrl: first.tokenUrl,
    world: first.world,
    environments,
    get requests() {
      return requests.all;
    },
    clearRequests: () => requests.clear(),
    addFault: (fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    advanceTo,
    close: () => closeAll(servers),
  };
}

async function respond(
  site: Site,
  controls: Parameters<typeof control>[0],
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const body = await bodyOf(incoming);
    if (body === undefined) return send(response, gatewayReply(413), site.clock.now());
    const path = (incoming.url ?? '').split('?')[0] ?? '';
    if (!path.startsWith(CONTROL_PATH)) return await serve(site, incoming, response, body);
    send(response, await control(controls, incoming.method ?? 'GET', path, body), site.clock.now());
  } catch (thrown) {
    if (response.headersSent) response.destroy();
    else send(response, jsonReply(500, { error: `simulator error: ${messageOf(thrown)}` }), site.clock.now());
  }
}

/** Undefined when it is too long. */
async function bodyOf(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return length > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString('utf8');
}

async function advanceAll(clock: SimClock, worlds: ReadonlyMap<string, World>, moment: Date): Promise<void> {
  if (clock.advanceTo === undefined) {
    throw new EchelonError({
      code: 'SIM_CLOCK_RUNS',
      message: 'the simulator has a real clock, which cannot be advanced',
      hint: 'start the simulator with a virtual clock',
    });
  }
  await clock.advanceTo(moment);
  for (const world of worlds.values()) world.advanceTo(clock.now());
}

function environmentAt(url: string, world: World): SimEnvironment {
  return { name: world.environment, url, tokenUrl: url + TOKEN_PATH, telemetryUrl: `${url}/telemeter`, world };
}

function firstOf(environments: ReadonlyMap<string, SimEnvironment>): SimEnvironment {
  const [first] = environments.values();
  if (first === undefined) throw new Error('a fleet needs at least one environment');
  return first;
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(portTaken(port, cause)));
    server.listen(port, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

function portTaken(port: number, cause: NodeJS.ErrnoException): EchelonError {
  return new EchelonError({
    code: 'SIM_PORT_UNUSABLE',
    message: `cannot listen on 127.0.0.1:${port}: ${cause.code ?? messageOf(cause)}`,
    hint: 'pass another port with --port; every environment uses one, counted up from there',
    cause,
  });
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(
    servers.map(
      (server) =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    ),
  );
}
