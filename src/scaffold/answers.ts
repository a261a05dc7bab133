import { EchelonError, isImage, isImageRef, parseImage, shown } from '../base/index.ts';

/** The content of a new instance. */
export interface InstanceAnswers {
  readonly integration: string;
  /** The image repository of the integration. */
  readonly image: string;
  readonly tag: string;
  readonly cluster: string;
  /** The address of the cluster's API server. */
  readonly server: string;
  readonly environment: string;
  readonly namespace: string;
}

type AnswerName = keyof InstanceAnswers;

interface Question {
  readonly name: AnswerName;
  readonly text: string;
  /** The default, given the answers to previous questions. */
  readonly usual: (answers: Partial<InstanceAnswers>) => string;
  /** The reason why an answer is not valid, and what to use; undefined for a valid one. */
  readonly fault: (answer: string) => { readonly message: string; readonly hint: string } | undefined;
}

const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export function nameFault(answer: string): { readonly message: string; readonly hint: string } | undefined {
  if (NAME.test(answer)) return undefined;
  const hint = 'use up to 63 lowercase letters, digits and -, beginning and ending with a letter or digit';
  return { message: `${shown(answer)} is not a valid name`, hint };
}

function imageFault(answer: string): ReturnType<Question['fault']> {
  const { tag, digest } = parseImage(answer);
  if (isImage(answer) && tag === undefined && digest === undefined) return undefined;
  return {
    message: `${shown(answer)} is not an image repository`,
    hint: 'use one such as registry.example.com/team/tools',
  };
}

function tagFault(answer: string): ReturnType<Question['fault']> {
  if (isImageRef(answer)) return undefined;
  return { message: `${shown(answer)} is not an image tag`, hint: 'use a tag such as v1 or 8c41f7e' };
}

function serverFault(answer: string): ReturnType<Question['fault']> {
  const isUrl = /^https?:\/\/[^\s'"#]+$/.test(answer) && URL.canParse(answer);
  if (isUrl) return undefined;
  return {
    message: `${shown(answer)} is not the URL of a server`,
    hint: 'use one such as https://api.demo.example.com:6443',
  };
}

/** All questions, in the order in which they are asked. */
export const INSTANCE_QUESTIONS: readonly Question[] = [
  { name: 'integration', text: 'Name of the first integration', usual: () => 'hello', fault: nameFault },
  {
    name: 'image',
    text: 'Its image, without the tag',
    usual: ({ integration }) => `registry.example.com/demo/${integration}`,
    fault: imageFault,
  },
  { name: 'tag', text: 'The tag of the image', usual: () => 'v1', fault: tagFault },
  { name: 'cluster', text: 'Name of the cluster', usual: () => 'demo', fault: nameFault },
  {
    name: 'server',
    text: 'Address of its API server',
    usual: ({ cluster }) => `https://api.${cluster}.example.com:6443`,
    fault: serverFault,
  },
  { name: 'environment', text: 'Name of the environment', usual: () => 'demo', fault: nameFault },
  { name: 'namespace', text: 'Namespace to run in', usual: ({ environment = '' }) => environment, fault: nameFault },
];

/** The answers given by flags, by the user, or the usual ones. Throws FLAG_INVALID for one that is not valid. */
export async function instanceAnswers(
  given: Partial<InstanceAnswers>,
  ask?: (question: string) => Promise<string | undefined>,
): Promise<InstanceAnswers> {
  const answers: Partial<Record<AnswerName, string>> = {};
  for (const { name, text, usual, fault } of INSTANCE_QUESTIONS) {
    const flag = given[name];
    const asked = flag === undefined && ask !== undefined ? await ask(`${text} [${usual(answers)}]: `) : '';
    if (asked === undefined) throw noAnswer();
    const answer = flag ?? (asked.trim() || usual(answers));
    requireValid(fault(answer), `--${name}`);
    answers[name] = answer;
  }
  return answers as InstanceAnswers;
}

function noAnswer(): EchelonError {
  return new EchelonError({
    code: 'INTERRUPTED',
    message: 'no answer. Nothing was written',
    hint: 'answer the questions, or pass --yes for the defaults',
  });
}

export function requireValid(found: ReturnType<Question['fault']>, flag: string): void {
  if (found !== undefined)
    throw new EchelonError({ code: 'FLAG_INVALID', message: `${flag}: ${found.message}`, hint: found.hint });
}
