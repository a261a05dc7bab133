import { BUILD } from './build.ts';

/** The entry point of the executable. It imports nothing that does anything before it has checked the Node version. */
const OLDEST_NODE = '24.5';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 5)) {
  process.stderr.write(`error: Echelon requires Node ${OLDEST_NODE} or newer; this is ${process.versions.node}\n`);
  process.stderr.write(' code: NODE_TOO_OLD\n');
  process.stderr.write(` hint: npm install --global node@24, or run Echelon from a checkout, which brings its own\n`);
  process.exit(1);
}

if (BUILD !== undefined) {
  const { keepCompiled } = await import('../clients/file-cache.ts');
  keepCompiled(BUILD, process.env);
}

const interrupted = new AbortController();
/** The first signal asks to stop; another one does not wait. */
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (interrupted.signal.aborted) process.exit(130);
    interrupted.abort(new Error(signal));
  });
}

/** A reader that stops reading, such as `head`, is not an error. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

const { main } = await import('./main.ts');
const ask = async (question: string): Promise<string | undefined> => {
  const { askUser } = await import('./io.ts');
  return askUser(question, { input: process.stdin, output: process.stderr, signal: interrupted.signal });
};

process.exitCode = await main(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  signal: interrupted.signal,
  exitNow: (code) => process.exit(code),
  stdin: () => process.stdin,
  ask,
  hasTerminal: () => process.stdin.isTTY === true,
});
