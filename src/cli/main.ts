import { type Command, CommanderError } from 'commander';
import { EXIT } from './exit-codes.ts';
import type { Io } from './io.ts';
import { buildProgram, firstWord } from './program.ts';

/**
 * Runs one command line and returns the exit code. Never throws. Known secrets are redacted from all output. What `--help`
 * does not need is loaded by a command.
 */
export async function main(typed: readonly string[], given: Io): Promise<number> {
  const args = typed[0] === 'run' ? (await import('./program/run-commands.ts')).withCommandName(typed) : typed;
  const io: Io = { ...(await redactingFor(args, given)), progress: args.includes('--progress') };
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
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (io.signal.aborted) return EXIT.interrupted;
    const { failed } = await import('./failed.ts');
    return failed(thrown, args, io);
  }
}

function withBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap((child) => withBelow(child as Command))];
}

/** Without a command no secret becomes known. */
async function redactingFor(args: readonly string[], io: Io): Promise<Io> {
  if (firstWord(args) === undefined) return io;
  const { redacting } = await import('./redacting.ts');
  return redacting(io);
}
