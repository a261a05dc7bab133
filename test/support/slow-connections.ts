import { connect, type Socket } from 'node:net';

interface SlowConnections {
  /** Resolves when the server closes the connection with this number. */
  closed(index: number): Promise<void>;
  /** How many the server has not closed, as far as is known. */
  open(): number;
  end(): void;
}

/** Connections to a local port, opened one after the other, that send the beginning of a request and then nothing. */
export async function slowConnections(port: number, count: number): Promise<SlowConnections> {
  const all: { readonly socket: Socket; readonly closed: Promise<void> }[] = [];
  for (let index = 0; index < count; index += 1) {
    const opened = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: ', () => opened.resolve()));
    socket.on('error', opened.reject).on('close', () => closed.resolve());
    all.push({ socket, closed: closed.promise });
    await opened.promise;
  }
  return {
    closed: async (index) => all[index]?.closed,
    open: () => all.filter(({ socket }) => !socket.destroyed && !socket.readableEnded).length,
    end: () => {
      for (const { socket } of all) socket.destroy();
    },
  };
}
