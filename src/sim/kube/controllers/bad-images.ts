import { didYouMean, EchelonError, namesMatching, parseImage } from '../../../base/index.ts';

/** How the containers of an image behave that does not work. */
const KINDS = ['never-ready', 'crash', 'crash-later'] as const;
export type BadImageKind = (typeof KINDS)[number];

/** Images that do not work, by their tags; `*` stands for any text. */
export interface BadImage {
  readonly tag: string;
  readonly kind: BadImageKind;
}

/** `TAG=KIND`. Throws an EchelonError for what is not one. */
export function badImagesIn(texts: readonly string[]): BadImage[] {
  return texts.map((text) => {
    const at = text.lastIndexOf('=');
    const [tag, given] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
    const kind = KINDS.find((one) => one === given);
    if (kind !== undefined && tag !== '') return { tag, kind };
    throw new EchelonError({
      code: 'FLAG_INVALID',
      message: `--bad-image ${text} is not TAG=KIND`,
      hint: didYouMean(given, KINDS, `use TAG=KIND with one of: ${KINDS.join(', ')}, such as 'v2*=crash'`),
    });
  });
}

/** Of several that match, the first decides. */
export function badImageFinder(badImages: readonly BadImage[]): (image: string) => BadImageKind | undefined {
  const known = badImages.map(({ tag, kind }) => ({ kind, matches: namesMatching([tag]) }));
  return (image) => {
    const { tag = '' } = parseImage(image);
    return known.find(({ matches }) => matches(tag))?.kind;
  };
}

/** How long one run of the container takes before it ends with an error. */
export const RUN_SECONDS: Readonly<Record<Exclude<BadImageKind, 'never-ready'>, number>> = {
  crash: 0,
  'crash-later': 30,
};

/** A kubelet restarts a container at once, then after these pauses, and from then on after the last of them. */
const PAUSES = [0, 10, 20, 40, 80, 160, 300];

/** One run of a container, in seconds since its pod started. */
export interface Run {
  readonly startedAt: number;
  readonly finishedAt: number;
}

export interface CrashLoop {
  readonly restarts: number;
  /** The run that is not over yet; without one the container waits for its next run. */
  readonly running?: Run;
  /** The last run that is over. */
  readonly ended?: Run;
}

/** A container that ends again and again, so many seconds after its pod started. Pure. */
export function crashLoop(runSeconds: number, age: number): CrashLoop {
  let ended: Run | undefined;
  let startedAt = 0;
  for (let restarts = 0; ; restarts += 1) {
    const run = { startedAt, finishedAt: startedAt + runSeconds };
    if (age < run.finishedAt) return { restarts, running: run, ...(ended === undefined ? {} : { ended }) };
    const pause = PAUSES[restarts];
    if (pause === undefined) return steadyLoop(runSeconds, age, run, restarts);
    if (age < run.finishedAt + pause) return { restarts, ended: run };
    ended = run;
    startedAt = run.finishedAt + pause;
  }
}

const LONGEST_PAUSE = 300;

/** The same from the run on after which all pauses are as long. */
function steadyLoop(runSeconds: number, age: number, from: Run, before: number): CrashLoop {
  const cycle = runSeconds + LONGEST_PAUSE;
  const rounds = Math.floor((age - from.startedAt) / cycle);
  const at = (round: number): Run => ({
    startedAt: from.startedAt + round * cycle,
    finishedAt: from.finishedAt + round * cycle,
  });
  const current = at(rounds);
  const restarts = before + rounds;
  return age < current.finishedAt
    ? { restarts, running: current, ended: at(rounds - 1) }
    : { restarts, ended: current };
}
