import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A guide as a list of steps, so that it can be typed from the first line to the last. In a guide
 *
 * - an `sh` block is typed as it is written, in the shell of the blocks before it;
 * - a block that begins with `$ ` shows commands and what each prints; `…` stands for whatever varies, alone on a line for any lines;
 * - `<!-- output -->` before a block: what the commands of the block before it print;
 * - `<!-- file: NAME -->` before a block: the reader saves it as NAME, in the folder where they are;
 * - `<!-- exits 1 -->` before a block: its last command ends with that code;
 * - `<!-- not run: REASON -->` before an `sh` block: it cannot be typed in a test, and why.
 */
export type GuideStep =
  | { readonly kind: 'type'; readonly line: number; readonly text: string; readonly code: number; shown?: string }
  | { readonly kind: 'file'; readonly line: number; readonly name: string; readonly text: string }
  | { readonly kind: 'skip'; readonly line: number; readonly reason: string };

const FENCE = /^((?:<!--[^\n]*-->\n)*)```(\w*)\n(.*?)^```$/gms;
const MARK = /<!-- (not run|file|exits|output)(?::? ([^\n]*?))? -->/g;

export function guideSteps(text: string): GuideStep[] {
  const steps: GuideStep[] = [];
  for (const { 1: comments = '', 2: language = '', 3: block = '', index } of text.matchAll(FENCE)) {
    const marks = new Map([...comments.matchAll(MARK)].map(([, name = '', value = '']) => [name, value]));
    const line = text.slice(0, index).split('\n').length + comments.split('\n').length - 1;
    add(steps, { line, language, block, marks });
  }
  return steps;
}

interface Block {
  readonly line: number;
  readonly language: string;
  readonly block: string;
  readonly marks: ReadonlyMap<string, string>;
}

function add(steps: GuideStep[], { line, language, block, marks }: Block): void {
  const code = Number(marks.get('exits') ?? 0);
  const last = steps.at(-1);
  if (marks.has('not run')) steps.push({ kind: 'skip', line, reason: marks.get('not run') ?? '' });
  else if (marks.has('file')) steps.push({ kind: 'file', line, name: marks.get('file') ?? '', text: block });
  else if (marks.has('output') && last?.kind === 'type') last.shown = block;
  else if (language === 'sh') steps.push({ kind: 'type', line, text: block, code });
  else if (block.startsWith('$ ')) steps.push(...session(line, block, code));
}

/** A block with several commands, each with its output. */
function session(line: number, block: string, code: number): GuideStep[] {
  const commands = block.split(/^\$ /m).slice(1);
  return commands.map((text, at) => {
    const [, typed = '', shown = ''] = /^((?:[^\n]*\\\n)*[^\n]*\n)(.*)$/s.exec(text) ?? [];
    return { kind: 'type', line, text: typed, code: at === commands.length - 1 ? code : 0, shown };
  });
}

/** The steps as one script: every step writes to a file of its number in `outputs`, the first that fails ends it. */
export function guideScript(steps: readonly GuideStep[], outputs: string): string {
  const parts = steps.map((step, at) => {
    const output = `${outputs}/${at}`;
    if (step.kind === 'skip') return '';
    if (step.kind === 'file') return `cat > '${step.name}' <<'END OF FILE'\n${step.text}END OF FILE\n`;
    return [
      `echo ${step.line} > '${outputs}/line'`,
      `{ code=0`,
      step.code === 0 ? typed(step.text, output) : `set +e\n${step.text}\ncode=$?; set -e`,
      `} > '${output}' 2>&1`,
      `[ $code = ${step.code} ] || { echo "exit code $code, not ${step.code}" >> '${output}'; exit 1; }`,
    ].join('\n');
  });
  return `set -e\n${parts.join('\n')}\n`;
}

/** A server in the background is waited for, as a reader does, until it reports where it listens. */
function typed(text: string, output: string): string {
  const lines = text.replaceAll('\\\n', ' ').split('\n');
  const wait = `( tail -f -n +1 '${output}' & ) | grep -q -m1 -e http -e kubeconfig`;
  return lines.map((line) => (/&\s*(?:#.*)?$/.test(line) ? `${line}\n${wait}` : line)).join('\n');
}

/** Whether the output is what the guide shows, with `…` for whatever varies, and blanks between columns as they fit. */
export function isAsShown(shown: string, output: string): boolean {
  const pattern = tidy(shown)
    .map((line) => (line === '…' ? '(?:.*\\n)*?' : `${line.split('…').map(RegExp.escape).join('.*')}\\n`))
    .join('');
  return new RegExp(`^${pattern}$`).test(`${tidy(output).join('\n')}\n`);
}

function tidy(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' ').trim());
}

interface GuidePlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly outputs: string;
  /** The guides' folder for trying things, /tmp/try: several guides are typed at the same time. */
  readonly scratch: string;
  /** The command that the shell runs below. */
  readonly within?: readonly string[];
}

/** Types a guide; what it leaves running is ended. Returns what failed, or was not printed as shown. */
export async function typedGuide(steps: readonly GuideStep[], place: GuidePlace): Promise<string> {
  const { cwd, env, outputs, scratch, within = [] } = place;
  const script = guideScript(steps, outputs).replaceAll('/tmp/try', scratch);
  const [command = 'bash', ...words] = [...within, 'bash', '-c', script];
  const shell = spawn(command, words, { cwd, env, stdio: 'ignore', detached: true });
  const code = await new Promise<number | null>((resolve) => shell.on('exit', resolve));
  try {
    process.kill(-(shell.pid ?? 0), 'SIGKILL');
  } catch {
    // Nothing was left running.
  }
  const output = (at: number): string => readFileSync(join(outputs, String(at)), 'utf8');
  if (code !== 0) {
    const line = Number(readFileSync(join(outputs, 'line'), 'utf8'));
    const failed = steps.findIndex((step) => step.kind === 'type' && step.line === line);
    return `line ${line}: ${output(failed)}`;
  }
  const different = steps.flatMap((step, at) =>
    step.kind === 'type' && step.shown !== undefined && !isAsShown(step.shown, output(at))
      ? [`line ${step.line} shows\n${step.shown}but was printed\n${output(at)}`]
      : [],
  );
  return different.join('\n');
}
