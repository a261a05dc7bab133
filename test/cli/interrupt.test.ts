import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type LocalHttp, neverAnswer, plain, type Reply, startLocalHttp } from '../support/local-http.ts';

const ECHELON = join(import.meta.dirname, '../../bin/echelon');
const EXAMPLE = join(import.meta.dirname, '../../examples/instance');
/** Only a safety net: a command that ignores the signal fails the test by sending its request again, long before this. */
const SAFETY = { timeout: 180_000 };

let server: LocalHttp;
let child: ChildProcess | undefined;
afterEach(async () => {
  child?.kill('SIGKILL');
  child = undefined;
  await server.close();
});

/**
 * Runs a command against a server and interrupts it as soon as the server has a request. What comes first counts: the
 * exit, or a request that the server has seen before, which only a command that ignores the signal sends.
 */
async function interrupted(reply: Reply, command: (url: string) => { args: string[]; env?: Record<string, string> }) {
  const arrived = Promise.withResolvers<void>();
  const retried = Promise.withResolvers<string>();
  const seen = new Set<string>();
  server = await startLocalHttp(async (response, request) => {
    const name = `${request.method} ${request.path}`;
    if (seen.has(name)) retried.resolve(`sent again: ${name}`);
    seen.add(name);
    await reply(response, request);
    arrived.resolve();
  });
  const { args, env = {} } = command(server.url);
  child = spawn(ECHELON, args, { stdio: 'ignore', env: { PATH: process.env['PATH'], ...env } });
  const exited = once(child, 'exit');
  await Promise.race([arrived.promise, exited]);
  child.kill('SIGINT');
  return Promise.race([exited.then(([code, signal]) => ({ code, signal })), retried.promise]);
}

/** Not killed by the signal: it ended by itself, with the exit code of an interrupt. */
const EXITED = { code: 130, signal: null };
const askedToWait = plain(503, '', { 'retry-after': '3600' });

describe('SIGINT ends a command', SAFETY, () => {
  it.each([
    { given: 'never answers', reply: neverAnswer },
    { given: 'asks to wait for an hour', reply: askedToWait },
  ])('while a qontract-server $given', async ({ reply }) => {
    const ended = await interrupted(reply, (url) => ({ args: ['get', 'integrations', '--data', url] }));
    expect(ended).toEqual(EXITED);
    expect(server.seen).toHaveLength(1);
  });

  it('while a Vault never answers', async () => {
    const ended = await interrupted(neverAnswer, (url) => ({
      args: ['upgrades', 'plan', '--data', EXAMPLE],
      env: { VAULT_ADDR: url, VAULT_TOKEN: 'a-token' },
    }));
    expect(ended).toEqual(EXITED);
    expect(server.seen.length).toBeGreaterThan(0);
  });
});
