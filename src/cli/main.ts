import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, CommanderError } from 'commander';
import { buildProgram, firstWord } from './commands.ts';
import type { Io } from './io.ts';
import { EXIT } from './io.ts';

/**
 * Runs one command line and returns the exit code. Never throws. Known secrets are redacted from all output. What `--help`
 * does not need is loaded by a command.
 */
export async function main(typed: readonly string[], given: Io): Promise<number> {
  const args = typed[0] === 'run' ? (await import('./commands/run/commands.ts')).withCommandName(typed) : typed;
  const env = { ...given.env };
  const io: Io = { ...(await redactingFor(args, given)), env, progress: args.includes('--progress') };
  let code: number = EXIT.ok;
  const finish = (finished: number): void => {
    code = finished;
  };
  const program = await buildProgram(io, finish, args);
  for (const command of withBelow(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  }
  program.hook('preAction', (_, command) => {
    const file = kubeconfigOf(command, io.cwd);
    if (file !== undefined) env['KUBECONFIG'] = file;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (io.signal.aborted) return EXIT.interrupted;
    const { failed } = await import('./output/errors.ts');
    return failed(thrown, args, io);
  }
}

/** `--kubeconfig` of a command that reads one; a file that does not exist must not mean another login. */
function kubeconfigOf(command: Command, cwd: string): string | undefined {
  const { kubeconfig } = command.opts<{ kubeconfig?: string }>();
  if (kubeconfig === undefined || !command.options.some(({ long }) => long === '--context')) return undefined;
  const file = resolve(cwd, kubeconfig);
  return existsSync(file) ? file : command.error(`error: --kubeconfig ${kubeconfig} does not exist`);
}

function withBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap((child) => withBelow(child as Command))];
}

/** Without a command no secret becomes known. */
async function redactingFor(args: readonly string[], io: Io): Promise<Io> {
  if (firstWord(args) === undefined) return io;
  const { redacting } = await import('./output/errors.ts');
  return redacting(io);
}
