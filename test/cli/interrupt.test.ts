import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type LocalHttp, neverAnswer, plain, type Reply, startLocalHttp } from '../support/local-http.ts';

const ECHELON = join(import.meta.dirname, '../../bin/echelon');
const EXAMPLE = join(import.meta.dirname, '../../examples/instance');
/** Less than the tries of one request take, and more than any machine needs to start and end. */
const PATIENCE = { timeout: 60_000 };

let server: LocalHttp;
let child: ChildProcess | undefined;
afterEach(async () => {
  child?.kill('SIGKILL');
  child = undefined;
  await server.close();
});

/** Runs a command against a server, interrupts it as soon as the server has a request, and gives its exit code. */
async function interrupted(reply: Reply, command: (url: string) => { args: string[]; env?: Record<string, string> }) {
  const asked = Promise.withResolvers<void>();
  server = await startLocalHttp(async (response, request) => {
    await reply(response, request);
    asked.resolve();
  });
  const { args, env = {} } = command(server.url);
  child = spawn(ECHELON, args, { stdio: 'ignore', env: { PATH: process.env['PATH'], ...env } });
  const ended = once(child, 'exit');
  await Promise.race([asked.promise, ended]);
  child.kill('SIGINT');
  const [code, signal] = await ended;
  return { code, signal, requests: server.seen.length };
}

const askedToWait = plain(503, '', { 'retry-after': '3600' });

describe('SIGINT ends a command', PATIENCE, () => {
  it.each([
    { given: 'never answers', reply: neverAnswer },
    { given: 'asks to wait for an hour', reply: askedToWait },
  ])('while a qontract-server $given', async ({ reply }) => {
    const ended = await interrupted(reply, (url) => ({ args: ['get', 'integrations', '--data', url] }));
    expect(ended).toEqual({ code: 130, signal: null, requests: 1 });
  });

  it('while a Vault never answers', async () => {
    const ended = await interrupted(neverAnswer, (url) => ({
      args: ['upgrades', 'plan', '--data', EXAMPLE],
      env: { VAULT_ADDR: url, VAULT_TOKEN: 'a-token' },
    }));
    expect(ended).toMatchObject({ code: 130, signal: null });
  });
});
