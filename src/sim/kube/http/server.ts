import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError } from '../status.ts';

/** The API server takes bodies up to this size. */
const BODY_LIMIT = 3 * 1024 * 1024;
const HOST = '127.0.0.1';

type Handler = (request: IncomingMessage, body: Buffer, response: ServerResponse) => void;

export interface RunningServer {
  readonly url: string;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** Serves plain HTTP on the loopback interface. */
export async function serve(port: number, handler: Handler): Promise<RunningServer> {
  const server: Server = createServer((request, response) => {
    readBody(request).then(
      (body) => handler(request, body, response),
      (error: unknown) => {
        if (error instanceof ApiError) sendJson(response, error.code, error.status, {});
        else response.destroy();
      },
    );
  });
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${HOST}:${actual}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT)
      throw new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${BODY_LIMIT}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function sendJson(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Record<string, string | string[]>,
): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(code, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache, private', ...headers });
  response.end(text);
}

export function sendText(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' });
  response.end(text);
}
