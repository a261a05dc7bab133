import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { didYouMean, EchelonError } from '../base/index.ts';
import type { NameKind } from '../sharding/index.ts';
import { type CommandClock, type Context, contextOf } from './context.ts';
import type { Io } from './io.ts';

/**
 * A command is one value: its options and arguments with their types, its help, and what it runs. Groups of options are
 * objects that are spread into the options of a command; a key is the name that the flag has in the flags.
 */
export interface CommandSpec<
  Options extends OptionSpecs = OptionSpecs,
  Arguments extends readonly AnyArgument[] = readonly AnyArgument[],
> {
  readonly name: string;
  readonly summary?: string;
  /** A sentence or more; without one, help shows none. */
  readonly description?: string;
  readonly aliases?: readonly string[];
  readonly usage?: string;
  readonly options?: Options;
  readonly arguments?: Arguments;
  /** Command lines that a user would type. */
  readonly examples?: readonly string[];
  /** Exit codes that are not the usual ones. */
  readonly exits?: Readonly<Record<number, string>>;
  /** The exit code of an error, where 1 says something else. */
  readonly errorExit?: number;
  /** Reads the clock of a simulated OCM, if the environment names one. */
  readonly simulatedClock?: boolean;
  readonly commands?: readonly AnyCommand[];
  readonly run?: (ctx: Context, flags: FlagsOf<Options>, ...given: ArgumentsOf<Arguments>) => Promise<number> | number;
  /** For what a value cannot say. */
  readonly configure?: (command: Command, io: Io, finish: Finish) => void;
}

/** A command whose flags are not known to who lists it. */
// biome-ignore lint/suspicious/noExplicitAny: flags are contravariant; only the command itself reads them
export type AnyCommand = Omit<CommandSpec, 'run'> & { readonly run?: (...given: any[]) => Promise<number> | number };

/** Called with the exit code of the command. */
export type Finish = (code: number) => void;

/** Infers the types of flags and arguments. */
export function command<const Options extends OptionSpecs, const Arguments extends readonly AnyArgument[]>(
  spec: CommandSpec<Options, Arguments>,
): CommandSpec<Options, Arguments> {
  return spec;
}

/** The flags of these options, as commander gives them. */
export type FlagsOf<Options> = {
  readonly [K in keyof Options as Options[K] extends OptionSpec<infer V, true>
    ? [V] extends [never]
      ? never
      : K
    : never]: ValueOf<Options[K]>;
} & {
  readonly [K in keyof Options as Options[K] extends OptionSpec<infer V, infer Always>
    ? [V] extends [never]
      ? never
      : Always extends true
        ? never
        : K
    : never]?: ValueOf<Options[K]>;
} & {
  /** Flags of existing fleets that were given and have no effect. */
  readonly ignored?: readonly string[];
};

type ValueOf<O> = O extends OptionSpec<infer V, boolean> ? V : never;
export type OptionSpecs = Readonly<Record<string, OptionSpec<unknown, boolean>>>;

/** An option with the type of its value; `Always`: it has one also when it is not given. */
export interface OptionSpec<Value, Always extends boolean> {
  readonly flags: string;
  readonly text: string;
  readonly traits: OptionTraits;
  readonly types?: { readonly value: Value; readonly always: Always };
}

export interface OptionTraits {
  readonly parse?: (text: string, previous: never) => unknown;
  readonly choices?: readonly string[];
  readonly usual?: unknown;
  readonly required?: boolean;
  readonly hidden?: boolean;
  /** The title that it stands under in the help, beside others of its group; alone it is listed with the command's own. */
  readonly group?: string;
  /** The names of an instance that complete its value. */
  readonly completes?: NameKind;
  /** Another name of this option; the last one given wins, or each counts. */
  readonly as?: string;
  /** The name to use instead: it is accepted for one minor version. */
  readonly deprecated?: string;
  /** Sets another flag. */
  readonly sets?: readonly [key: string, value: unknown];
  /** Has no effect without this flag. */
  readonly onlyWith?: string;
  /** The variable that clients read the file of this option from; the file must exist. */
  readonly variable?: string;
  /** Accepted for existing fleets, without effect. */
  readonly ignored?: boolean;
}

/** Set or absent. */
export function flag(flags: string, text: string, traits: OptionTraits = {}): OptionSpec<boolean, false> {
  return { flags, text, traits };
}

/** `--no-…`: true unless it is given. */
export function unless(flags: string, text: string, traits: OptionTraits = {}): OptionSpec<boolean, true> {
  return { flags, text, traits };
}

/** Part of the command line, but no flag of its own: the negation or another name of one. */
export function other(flags: string, text: string, traits: OptionTraits = {}): OptionSpec<never, false> {
  return { flags, text, traits };
}

/** With a text as its value. */
export function option(flags: string, text: string, traits: OptionTraits = {}): OptionSpec<string, false> {
  return { flags, text, traits };
}

/** With a value of another type, which its traits make of the text. */
export function valued<Value>(flags: string, text: string, traits: OptionTraits = {}): OptionSpec<Value, false> {
  return { flags, text, traits };
}

/** May be given more than once. */
export function list(flags: string, text: string, traits: OptionTraits = {}): OptionSpec<readonly string[], false> {
  return { flags, text, traits: { ...traits, parse: collect } };
}

/** Read by a function, which throws what a user should know about a value that does not fit. */
export function parsed<Value>(flags: string, text: string, parse: (text: string) => Value): OptionSpec<Value, false> {
  return { flags, text, traits: { parse } };
}

/** One of a few words. */
export function choice<const Choice extends string>(
  flags: string,
  text: string,
  choices: readonly Choice[],
): OptionSpec<Choice, false> {
  return { flags, text, traits: { choices } };
}

/** With this value when it is not given. */
export function usually<Value>(
  { flags, text, traits }: OptionSpec<Value, false>,
  usual: NoInfer<Value>,
): OptionSpec<Value, true> {
  return { flags, text, traits: { ...traits, usual } };
}

export function required<Value>({ flags, text, traits }: OptionSpec<Value, false>): OptionSpec<Value, true> {
  return { flags, text, traits: { ...traits, required: true } };
}

/** The options, under one title of the help. */
export function grouped<Options extends OptionSpecs>(group: string, options: Options): Options {
  const entries = Object.entries(options).map(([key, { traits, ...spec }]) => [
    key,
    { ...spec, traits: { ...traits, group } },
  ]);
  return Object.fromEntries(entries) as Options;
}

export interface ArgumentSpec<Value> {
  readonly form: string;
  readonly text: string;
  readonly traits: ArgumentTraits;
  readonly types?: { readonly value: Value };
}

export interface ArgumentTraits {
  readonly parse?: (text: string) => unknown;
  readonly choices?: readonly string[];
  readonly usual?: unknown;
  readonly completes?: NameKind | (() => Promise<readonly string[]>);
}

export type AnyArgument = ArgumentSpec<unknown>;
type ArgumentsOf<A extends readonly AnyArgument[]> = {
  [I in keyof A]: A[I] extends ArgumentSpec<infer Value> ? Value : never;
};

/** `<name>`, `[name]`, `<names...>`: the form says whether it is required, and how many there are. */
export function argument<const Form extends string>(
  form: Form,
  text: string,
  traits: Pick<ArgumentTraits, 'parse' | 'completes'> = {},
): ArgumentSpec<
  Form extends `${string}...${string}` ? string[] : Form extends `[${string}` ? string | undefined : string
> {
  return { form, text, traits };
}

/** An optional argument with a value when it is not given; one of a few words, if there are choices. */
export function argumentOr<const Value extends string>(
  form: string,
  text: string,
  usual: NoInfer<Value>,
  choices?: readonly Value[],
): ArgumentSpec<Value> {
  return { form, text, traits: { usual, ...(choices === undefined ? {} : { choices }) } };
}

export function argumentOf<const Value extends string>(
  form: string,
  text: string,
  choices: readonly Value[],
): ArgumentSpec<Value> {
  return { form, text, traits: { choices } };
}

/** An option of a program, with its spec; completion reads it. */
export class ProgramOption extends Option {
  readonly spec: OptionSpec<unknown, boolean>;
  constructor(spec: OptionSpec<unknown, boolean>) {
    const { flags, text, traits } = spec;
    super(flags, text);
    this.spec = spec;
    if (traits.choices !== undefined) this.choices(traits.choices);
    if (traits.usual !== undefined) this.default(traits.usual);
    if (traits.parse !== undefined) this.argParser(traits.parse as (text: string, previous: unknown) => unknown);
    this.makeOptionMandatory(traits.required === true).hideHelp(traits.hidden === true);
  }

  /** The key of the option that it is another name of: the last one given wins, unless each counts. */
  override attributeName(): string {
    return this.spec.traits.as ?? super.attributeName();
  }
}

export class ProgramArgument extends Argument {
  readonly completes: ArgumentTraits['completes'];
  constructor({ form, text, traits }: AnyArgument) {
    super(form, text);
    this.completes = traits.completes;
    if (traits.choices !== undefined) this.choices(traits.choices);
    if (traits.usual !== undefined) this.default(traits.usual);
    if (traits.parse !== undefined) this.argParser(traits.parse);
  }
}

/** Adds a command, and all below it, to a program. */
export function addCommand(
  parent: Command,
  spec: AnyCommand,
  io: Io,
  finish: Finish,
  begin?: (spec: AnyCommand) => void,
): Command {
  const { name, summary, description, aliases = [], usage } = spec;
  const added = parent
    .command(name, { hidden: name.startsWith('_') })
    .enablePositionalOptions()
    .aliases([...aliases]);
  if (summary !== undefined) added.summary(summary);
  if (description !== undefined) added.description(description);
  if (usage !== undefined) added.usage(usage);
  for (const each of spec.arguments ?? []) added.addArgument(new ProgramArgument(each));
  addOptions(added, spec.options ?? {}, io);
  for (const child of spec.commands ?? []) addCommand(added, child, io, finish, begin);
  addHelp(added, spec);
  const { run } = spec;
  if (run !== undefined) {
    added.action(async () => {
      begin?.(spec);
      const flags = added.opts();
      requireCompanions(added);
      const ctx = contextOf(
        withVariables(io, added),
        flags,
        spec.simulatedClock ? await simulatedClock(io) : undefined,
      );
      finish(await run(ctx, flags, ...added.processedArgs));
    });
  }
  spec.configure?.(added, io, finish);
  return added;
}

/** That of this machine, unless the environment names the clock of a simulated OCM. */
async function simulatedClock({ env, now }: Io): Promise<CommandClock | undefined> {
  return now === undefined ? (await import('./commands/upgrades/simulated-clock.ts')).clockOf(env) : undefined;
}

function addOptions(added: Command, specs: OptionSpecs, io: Io): void {
  const byGroup = Map.groupBy(Object.values(specs), ({ traits }) => traits.group);
  for (const spec of Object.values(specs)) {
    const { as = '', group } = spec.traits;
    const parse = specs[as]?.traits.parse;
    const made = new ProgramOption(parse === undefined ? spec : { ...spec, traits: { ...spec.traits, parse } });
    if (group !== undefined && (byGroup.get(group)?.length ?? 0) > 1) made.helpGroup(group);
    added.addOption(made).on(`option:${made.name()}`, () => noteGiven(added, made, io));
  }
}

/** Effects of an option besides its value. */
function noteGiven(added: Command, made: ProgramOption, io: Io): void {
  const { sets, ignored, deprecated } = made.spec.traits;
  if (sets !== undefined) added.setOptionValue(...(sets as [string, unknown]));
  if (ignored === true) noteIgnored(added, made);
  if (deprecated !== undefined)
    io.stderr.write(`warning: ${made.long} is now ${deprecated}; the old name goes with the next minor version\n`);
}

function noteIgnored(added: Command, made: Option): void {
  const noted = (added.getOptionValue('ignored') ?? []) as readonly string[];
  added.setOptionValue('ignored', [...new Set([...noted, made.long])]);
}

function specOf(made: Option): OptionTraits {
  return made instanceof ProgramOption ? made.spec.traits : {};
}

/** Refuses what a user gave that has no effect without another flag. */
function requireCompanions(added: Command): void {
  const isGiven = (made: Option): boolean => added.getOptionValueSource(made.attributeName()) === 'cli';
  const idle = added.options.filter((made) => {
    const { onlyWith } = specOf(made);
    return onlyWith !== undefined && isGiven(made) && added.getOptionValue(onlyWith) !== true;
  });
  const [first] = idle;
  if (first === undefined) return;
  const names = idle.map(({ long }) => long).join(' and ');
  const other = `--${specOf(first).onlyWith}`;
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `${names} ${idle.length === 1 ? 'requires' : 'require'} ${other}`,
    hint: `pass ${other} as well, or omit ${names}`,
  });
}

/** Files that clients read from a variable; one that does not exist must not mean another login. */
function withVariables(io: Io, added: Command): Io {
  const set = added.options.flatMap((made) => {
    const { variable } = specOf(made);
    const value = added.getOptionValue(made.attributeName()) as string | undefined;
    if (variable === undefined || value === undefined) return [];
    const file = resolve(io.cwd, value);
    return existsSync(file) ? [[variable, file]] : added.error(`error: ${made.long} ${value} does not exist`);
  });
  return set.length === 0 ? io : { ...io, env: { ...io.env, ...Object.fromEntries(set) } };
}

/** Ends the help with examples and exit codes. */
function addHelp(added: Command, { examples = [], exits, name, commands = [] }: AnyCommand): void {
  if ((commands.length > 0 && examples.length === 0) || name.startsWith('_')) return;
  if (examples.length > 0)
    added.addHelpText('after', `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`);
  added.addHelpText('after', exitHelp(exits));
}

/** Codes with their meaning, as `--help` lists them; `own` are those of one command. */
export function exitHelp(own: Readonly<Record<number, string>> = {}): string {
  const usual = { 0: 'success', 1: 'problems found, or the command failed', 64: 'invalid command line' };
  const lines = Object.entries({ ...usual, ...own }).map(([code, meaning]) => `  ${code.padEnd(4)}${meaning}\n`);
  return `\nExit codes:\n${lines.join('')}`.trimEnd();
}

/** The command at the end of these words; an error of the program, if there is none. */
export function commandAt(program: Command, words: readonly string[]): Command {
  let at = program;
  for (const word of words) {
    const known = at.commands.filter((child) => !child.name().startsWith('_'));
    const names = known.map((child) => child.name());
    const found = known.find((child) => child.name() === word);
    at = found ?? at.error(`error: unknown command '${word}'\n${didYouMean(word, names, '')}`.trimEnd());
  }
  return at;
}

export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  if (value === '') throw new InvalidArgumentError('it must not be empty');
  return [...previous, value];
}
