import { Command } from 'commander';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type AnyCommand,
  addCommand,
  argument,
  argumentOr,
  choice,
  command,
  type FlagsOf,
  flag,
  list,
  option,
  other,
  ProgramOption,
  parsed,
  required,
  unless,
  usually,
} from './command.ts';
import { buildProgram, FAMILIES } from './commands.ts';

const OPTIONS = {
  name: required(option('--name <name>', 'a name')),
  size: usually(parsed('--size <n>', 'a number', Number), 3),
  tag: list('--tag <tag>', 'a tag'),
  label: other('--label <tag>', 'the same as --tag', { as: 'tag', deprecated: '--tag', hidden: true }),
  colour: choice('--colour <colour>', 'a colour', ['red', 'green']),
  quiet: flag('--quiet', 'say less'),
  loud: flag('--loud', 'say more', { sets: ['quiet', false] }),
  lease: option('--lease <place>', 'a lease'),
  noLease: other('--no-lease', 'without one'),
  cache: unless('--no-cache', 'without a cache'),
  often: flag('--often', 'again and again'),
  pause: option('--pause <time>', 'in between', { onlyWith: 'often' }),
  pool: other('--pool <n>', 'ignored', { ignored: true }),
  kubeconfig: option('--kubeconfig <file>', 'a file', { variable: 'KUBECONFIG' }),
};

interface Seen {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly given: readonly unknown[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a command gets of a command line, and what is written to standard error. */
async function seenBy(args: readonly string[]): Promise<{ seen: Seen | undefined; stderr: string }> {
  let seen: Seen | undefined;
  let stderr = '';
  const note = (text: string): void => {
    stderr += text;
  };
  const program = new Command().exitOverride().configureOutput({ writeErr: note });
  const output = { isTTY: false, write: note };
  const io = { stdout: output, stderr: output, env: {}, cwd: '/', signal: new AbortController().signal };
  const spec = command({
    name: 'try',
    arguments: [argument('<what>', ''), argumentOr('[how]', '', 'plan', ['plan', 'apply'])],
    options: OPTIONS,
    run: (ctx, flags, ...given) => {
      seen = { flags, given, env: ctx.env };
      return 0;
    },
  });
  addCommand(program, spec, io, () => undefined);
  await program.parseAsync(['try', ...args], { from: 'user' });
  return { seen, stderr };
}

describe('a command', () => {
  it('has flags of the types that its options say', () => {
    type Flags = FlagsOf<typeof OPTIONS>;
    expectTypeOf<Flags['name']>().toEqualTypeOf<string>();
    expectTypeOf<Flags['size']>().toEqualTypeOf<number>();
    expectTypeOf<Flags['cache']>().toEqualTypeOf<boolean>();
    expectTypeOf<Flags['tag']>().toEqualTypeOf<readonly string[] | undefined>();
    expectTypeOf<Flags['colour']>().toEqualTypeOf<'red' | 'green' | undefined>();
    expectTypeOf<keyof Flags>().not.toEqualTypeOf<'noLease' | 'label' | 'pool'>();
  });

  it.each([
    { args: ['a', '--name', 'n'], flags: { name: 'n', size: 3, cache: true }, given: ['a', 'plan'] },
    {
      args: ['a', 'apply', '--name', 'n', '--size', '5', '--no-cache'],
      flags: { size: 5, cache: false },
      given: ['a', 'apply'],
    },
    { args: ['a', '--name', 'n', '--tag', 'x', '--tag', 'y'], flags: { tag: ['x', 'y'] } },
    { args: ['a', '--name', 'n', '--tag', 'x', '--label', 'y'], flags: { tag: ['x', 'y'] } },
    { args: ['a', '--name', 'n', '--no-lease'], flags: { lease: false } },
    { args: ['a', '--name', 'n', '--quiet', '--loud'], flags: { quiet: false, loud: true } },
    { args: ['a', '--name', 'n', '--pool', '7'], flags: { ignored: ['--pool'] } },
  ])('gets $flags of $args', async ({ args, flags, given }) => {
    const { seen } = await seenBy(args);
    expect(seen?.flags).toMatchObject(flags);
    if (given !== undefined) expect(seen?.given).toEqual(given);
  });

  it('warns of a name that goes', async () => {
    const { stderr } = await seenBy(['a', '--name', 'n', '--label', 'y']);
    expect(stderr).toBe('warning: --label is now --tag; the old name goes with the next minor version\n');
  });

  it('refuses a flag without the one that it needs, and runs with both', async () => {
    await expect(seenBy(['a', '--name', 'n', '--pause', '1s'])).rejects.toMatchObject({
      ...{ code: 'FLAG_INVALID', message: '--pause requires --often', hint: 'pass --often as well, or omit --pause' },
    });
    expect((await seenBy(['a', '--name', 'n', '--pause', '1s', '--often'])).seen?.flags).toMatchObject({ pause: '1s' });
  });

  it('gives clients the file of a flag as a variable, and refuses one that does not exist', async () => {
    const { seen } = await seenBy(['a', '--name', 'n', '--kubeconfig', '/dev/null']);
    expect(seen?.env).toEqual({ KUBECONFIG: '/dev/null' });
    await expect(seenBy(['a', '--name', 'n', '--kubeconfig', '/no/such'])).rejects.toThrow('--kubeconfig /no/such');
  });
});

const SILENT = { write: () => undefined, isTTY: false };
const IO = { stdout: SILENT, stderr: SILENT, env: {}, cwd: '/', signal: new AbortController().signal };

const LOADED = await Promise.all(FAMILIES.map(async ({ names, load }) => ({ names, specs: (await load()).COMMANDS })));

function withBelow(spec: AnyCommand): AnyCommand[] {
  return [spec, ...(spec.commands ?? []).flatMap(withBelow)];
}

describe('the commands of the program', () => {
  it('are those that their files are loaded for', () => {
    for (const { names, specs } of LOADED) expect(specs.map(({ name }) => name)).toEqual(names);
  });

  it('have their options under the names that their flags have', () => {
    const every = LOADED.flatMap(({ specs }) => specs).flatMap(withBelow);
    const wrong = every.flatMap(({ name, options = {} }) =>
      Object.entries(options).flatMap(([key, spec]) => {
        const made = new ProgramOption(spec);
        const isOther = spec.traits.as !== undefined || (made.negate && key.startsWith('no'));
        return isOther || made.attributeName() === key ? [] : [`${name}: ${key} for ${spec.flags}`];
      }),
    );
    expect(every.length).toBeGreaterThan(70);
    expect(wrong).toEqual([]);
  });

  it.each(LOADED.flatMap(({ names }) => names))('include %s, which is found by its name alone', async (name) => {
    const found = await buildProgram(IO, () => undefined, [name]);
    expect(found.commands.map((child) => child.name())).toContain(name);
  });
});
