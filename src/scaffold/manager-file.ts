import type { InstanceAnswers } from './answers.ts';
import { modeline } from './modeline.ts';
import { scalar } from './scalar.ts';

/** The text of a first manager.yml. */
export function firstManagerFile({ image, tag, environment }: InstanceAnswers): string {
  return [
    ...modeline('manager', 2),
    '# Which image integrations run, and the defaults of flags, which flags and variables overrule.',
    'defaults:',
    `  environment: ${scalar(environment)}    # --environment-name`,
    'upstreams:',
    '# Integrations without `upstream` in their file. Add an entry with `url` for those of another repository.',
    `- image: ${image}`,
    `  tag: ${scalar(tag)}    # or tagParameter: a parameter of the environment`,
    '',
  ].join('\n');
}
