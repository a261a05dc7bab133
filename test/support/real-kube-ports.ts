import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below the ports that systems hand out for outgoing connections, so that a port stays free while its server is stopped. */
const LOWEST_PORT = 12_000;
const HIGHEST_PORT = 29_999;
const ATTEMPTS = 100;

/** Free ports of the loopback interface, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  const ports: number[] = [];
  for (let attempt = 0; ports.length < count && attempt < ATTEMPTS; attempt++) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT + 1);
    const server = await listen(port);
    if (server === undefined) continue;
    servers.push(server);
    ports.push(port);
  }
  for (const server of servers) {
    server.close();
    await once(server, 'close');
  }
  if (ports.length < count)
    throw new Error(`no free port among ${ATTEMPTS} between ${LOWEST_PORT} and ${HIGHEST_PORT}`);
  return ports;
}

async function listen(port: number): Promise<Server | undefined> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}
