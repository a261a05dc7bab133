import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * At most so many connections: a further one closes the oldest that is not being answered, else the oldest. Node's own
 * limit turns the newest away, so that slow or idle connections keep everybody else out until they time out.
 */
export function limitConnections(server: Server, most: number): void {
  const open = new Map<string, Socket>();
  const answering = new Set<string>();
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    open.set(peer, socket);
    socket.once('close', () => {
      if (open.get(peer) === socket) open.delete(peer);
    });
    if (open.size > most) evict(open, answering);
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const peer = peerOf(socket);
    answering.add(peer);
    response.once('close', () => answering.delete(peer));
  });
}

function evict(open: Map<string, Socket>, answering: ReadonlySet<string>): void {
  const [oldest] = open.keys();
  const peer = open.keys().find((candidate) => !answering.has(candidate)) ?? oldest ?? '';
  open.get(peer)?.destroy();
  open.delete(peer);
}

/** The same for a TLS connection and the one below it. */
function peerOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`;
}
