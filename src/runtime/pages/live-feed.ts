import type { IncomingMessage, ServerResponse } from 'node:http';

/** Tells browsers that there is something new, as server-sent events. */
export interface LiveFeed {
  readonly path: string;
  /** Names what is shown now. */
  current(): string;
  /** Calls the listener with each new name, until it is called off. */
  subscribe(listener: (current: string) => void): () => void;
}

/** Each holds a connection; further readers are told to reload by themselves. */
const MOST_READERS = 100;
/** Shorter than a connection may be idle. */
const HEARTBEAT_MS = 15_000;

type Headers = Readonly<Record<string, string>>;

/** Streams a feed to its readers, and ends them all. */
export interface FeedReaders {
  serve(request: IncomingMessage, response: ServerResponse, headers: Headers): void;
  end(): void;
}

export function feedReaders(feed: LiveFeed): FeedReaders {
  const readers = new Set<ServerResponse>();
  return {
    serve: (request, response, headers) => {
      if (readers.size >= MOST_READERS) {
        response.writeHead(503, { ...headers, 'content-type': 'text/plain; charset=utf-8', 'content-length': '17' });
        response.end('too many readers\n');
        return;
      }
      response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8' });
      if (request.method === 'HEAD') {
        response.end();
        return;
      }
      readers.add(response);
      const say = (current: string): void => void response.write(`data: ${current}\n\n`);
      const stop = feed.subscribe(say);
      const heartbeat = setInterval(() => response.write(':\n\n'), HEARTBEAT_MS);
      response.once('close', () => {
        clearInterval(heartbeat);
        stop();
        readers.delete(response);
      });
      say(feed.current());
    },
    end: () => {
      for (const response of readers) response.end();
    },
  };
}
