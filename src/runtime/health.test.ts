import { afterEach, describe, expect, it } from 'vitest';
import { slowConnections } from '../../test/support/slow-connections.ts';
import { virtualClock } from '../../test/support/virtual-clock.ts';
import {
  createHealth,
  type HealthServerOptions,
  type HealthState,
  silenceLimitSeconds,
  startHealthServer,
} from './health.ts';
import type { HttpServer } from './http/server.ts';

const clockAndHealth = (limit = 100) => {
  const clock = virtualClock(new Date(0));
  return { clock, health: createHealth(clock, limit) };
};

describe('health', () => {
  it('is live until the loop was silent for longer than the limit', async () => {
    const { clock, health } = clockAndHealth();
    await clock.advance(60_000);
    health.beat();
    await clock.advance(100_999);
    expect(health.live()).toEqual({ ok: true, reason: 'last activity 100 s ago' });
    await clock.advance(1);
    expect(health.live()).toEqual({ ok: false, reason: 'no activity for 101 s, limit 100 s' });
    health.beat();
    expect(health.live().ok).toBe(true);
  });

  it('is ready once a pass has ended well', () => {
    const { health } = clockAndHealth();
    health.beat();
    expect(health.ready()).toEqual({ ok: false, reason: 'no pass has succeeded yet' });
    health.succeeded();
    health.beat();
    expect(health.ready()).toEqual({ ok: true, reason: 'ready' });
  });

  it('is live and ready for as long as it stands by, and no longer', async () => {
    const { clock, health } = clockAndHealth();
    health.waiting('waiting for the lease');
    await clock.advance(1e9);
    expect([health.live(), health.ready()]).toEqual(Array(2).fill({ ok: true, reason: 'waiting for the lease' }));
    health.beat();
    expect([health.live().ok, health.ready().ok]).toEqual([true, false]);
    await clock.advance(101_000);
    expect(health.live().ok).toBe(false);
  });

  it('is live and not ready for as long as it cannot lead, on standby and after a pass', () => {
    const { health } = clockAndHealth();
    health.waiting('waiting for the lease');
    health.setBlocked('cannot read or write lease: 403');
    expect([health.live(), health.ready()]).toEqual([
      { ok: true, reason: 'waiting for the lease' },
      { ok: false, reason: 'cannot read or write lease: 403' },
    ]);
    health.succeeded();
    expect(health.ready().ok).toBe(false);
    health.setBlocked(undefined);
    expect(health.ready()).toEqual({ ok: true, reason: 'ready' });
  });

  it.each([
    [60, undefined, 1800],
    [3600, undefined, 10_800],
    [60, 600, 1800],
    [60, 7200, 7260],
  ])('with a poll of %d s and a time limit of %s s allows %d s of silence', (poll, timeout, limit) => {
    expect(silenceLimitSeconds(poll, timeout)).toBe(limit);
  });
});

const servers: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

interface Given {
  readonly live?: HealthState;
  readonly ready?: HealthState;
  readonly render?: () => Promise<string>;
}

async function start({ live, ready, render }: Given = {}, options: Partial<HealthServerOptions> = {}) {
  const fine = { ok: true, reason: 'fine' };
  const server = await startHealthServer({
    port: 0,
    host: '127.0.0.1',
    metrics: { render: render ?? (async () => 'up 1\n'), contentType: 'text/plain; version=0.0.4' },
    health: { live: () => live ?? fine, ready: () => ready ?? fine },
    ...options,
  });
  servers.push(server);
  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  return { server, ask };
}

const bad = { ok: false, reason: 'no sign of life' };
const broken = async (): Promise<string> => {
  throw new Error('details that nobody outside needs');
};

describe('the health server', () => {
  it.each([
    { path: '/metrics', given: {}, status: 200, body: 'up 1\n' },
    { path: '/metrics?name=x', given: {}, status: 200, body: 'up 1\n' },
    { path: '/metrics', given: { render: broken }, status: 500, body: 'cannot collect metrics\n' },
    { path: '/healthz', given: {}, status: 200, body: 'fine\n' },
    { path: '/healthz', given: { live: bad }, status: 503, body: 'no sign of life\n' },
    { path: '/healthz', given: { ready: bad }, status: 200, body: 'fine\n' },
    { path: '/readyz', given: {}, status: 200, body: 'fine\n' },
    { path: '/readyz', given: { ready: bad }, status: 503, body: 'no sign of life\n' },
    { path: '/readyz', given: { live: bad }, status: 200, body: 'fine\n' },
    { path: '/', given: {}, status: 404, body: 'not found: use /metrics, /healthz or /readyz\n' },
    { path: '/metrics/x', given: {}, status: 404, body: 'not found: use /metrics, /healthz or /readyz\n' },
  ])('answers $path with $status $body', async ({ path, given, status, body }) => {
    const { ask } = await start(given);
    const answer = await ask(path);
    expect([answer.status, answer.body]).toEqual([status, body]);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect((await ask(path, 'HEAD')).status).toBe(status);
    expect((await ask(path, 'HEAD')).body).toBe('');
  });

  it('names the type of the metrics, and their length to HEAD', async () => {
    const { ask } = await start();
    const { headers } = await ask('/metrics', 'HEAD');
    expect([headers.get('content-type'), headers.get('content-length')]).toEqual(['text/plain; version=0.0.4', '5']);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('refuses %s', async (method) => {
    const { ask } = await start();
    const answer = await ask('/metrics', method);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('listens on every address when none is given', async () => {
    const { ask } = await start({}, { host: undefined });
    expect((await ask('/healthz')).status).toBe(200);
  });

  it('says that the port is taken, and what to do', async () => {
    const { server } = await start();
    await expect(start({}, { port: server.port })).rejects.toMatchObject({
      code: 'PORT_UNAVAILABLE',
      message: `cannot serve metrics and health on 127.0.0.1 port ${server.port}: the port is in use`,
      hint: 'stop the other process, or set PROMETHEUS_PORT to another port',
    });
  });

  it('says so too when the address is not of this machine', async () => {
    await expect(start({}, { host: '192.0.2.1' })).rejects.toMatchObject({
      code: 'PORT_UNAVAILABLE',
      message: expect.stringContaining('192.0.2.1 port 0: '),
    });
  });

  it('answers while 64 connections have not finished their request, and leaves those open', async () => {
    const { server, ask } = await start();
    const slow = await slowConnections(server.port, 64);
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await ask(path)).status).toBe(200);
    expect(slow.open()).toBe(64);
    slow.end();
  });

  it('closes the connection that waits longest when there are more than 256, and answers', async () => {
    const { server, ask } = await start();
    const slow = await slowConnections(server.port, 256);
    expect((await ask('/healthz')).status).toBe(200);
    await slow.closed(0);
    expect(slow.open()).toBe(255);
    slow.end();
  });

  it('does not close a connection that is being answered while another only waits', async () => {
    const { promise: rendered, resolve: finish } = Promise.withResolvers<string>();
    const { promise: asked, resolve: scraped } = Promise.withResolvers<void>();
    const render = (): Promise<string> => {
      scraped();
      return rendered;
    };
    const { server, ask } = await start({ render });
    const metrics = ask('/metrics');
    await asked;
    const slow = await slowConnections(server.port, 256);
    await slow.closed(0);
    finish('up 1\n');
    expect((await metrics).body).toBe('up 1\n');
    slow.end();
  });

  it('answers nobody once it is closed', async () => {
    const { server, ask } = await start();
    expect((await ask('/healthz')).status).toBe(200);
    await server.close();
    await expect(ask('/healthz')).rejects.toThrow('fetch failed');
  });
});
