import { Agent, type AgentOptions } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { json, startLocalHttp } from '../../../test/support/local-http.ts';
import { AUTHORITY, CLIENT, startLocalHttps } from '../../../test/support/local-https.ts';
import { agentWire, httpClient } from './index.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const ONCE = { attempts: 1, when: 'never' } as const;

describe('a wire of its own connections', () => {
  it('presents a client certificate and trusts one authority', async () => {
    const server = await startLocalHttps(json(200, { ok: true }));
    open.push(server);
    const agent = new TlsAgent({ ca: AUTHORITY, servername: 'kube.test', ...CLIENT });
    const http = httpClient({ wire: agentWire({ connections: () => ({ agent }) }) });
    expect((await http.json({ url: server.url })).body).toEqual({ ok: true });
    expect(server.clients).toEqual(['client']);
    agent.destroy();
  });

  it.each([
    { given: 'all of it', zipped: gzipSync('"plain"'), text: '"plain"' },
    { given: 'half of it', zipped: gzipSync('"plain"').subarray(0, 12), fault: 'Z_BUF_ERROR' },
    { given: 'none of it', zipped: Buffer.from('"plain"'), fault: 'Z_DATA_ERROR' },
  ])('unzips $given', async ({ zipped, text: plain, fault }) => {
    const server = await startLocalHttp(
      (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(zipped),
    );
    open.push(server);
    const asked = httpClient().text({ url: server.url, retry: ONCE });
    if (fault === undefined) expect(await asked).toMatchObject({ status: 200, text: plain });
    else await expect(asked).rejects.toMatchObject({ code: 'HTTP_UNREACHABLE', fault: { code: fault } });
  });

  it('gives up on a request at any moment, also as its response ends, and breaks nothing', async () => {
    const server = await startLocalHttp(json(200, { ok: true }));
    const agent = new Agent({ keepAlive: true });
    open.push(server, { close: () => agent.destroy() });
    const wire = agentWire({ connections: () => ({ agent }) });
    for (let turns = 0; turns < 12; turns += 1) {
      const over = new AbortController();
      const { body } = await wire({
        ...{ url: new URL(server.url), method: 'GET', headers: {}, body: undefined, signal: over.signal },
      });
      const reading = text(body).catch(() => undefined);
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      over.abort(new Error('given up'));
      await reading;
    }
    expect(server.seen).toHaveLength(12);
  });

  it('gives up on a connection that does not come about, and has sent nothing', async () => {
    const silent = new Agent({ lookup: () => undefined } as AgentOptions);
    const http = httpClient({ wire: agentWire({ connections: () => ({ agent: silent }), connectMs: 1 }) });
    await expect(http.text({ url: 'http://silent.invalid/', retry: ONCE })).rejects.toMatchObject({
      message: expect.stringContaining('no connection within 0.001 s'),
      mayHaveArrived: false,
    });
  });
});
