import { RE2JS } from 're2js';
import { messageOf } from '../../base/index.ts';
import type { Pattern } from '../read/classify.ts';
import type { Mask } from '../read/masks.ts';

const LONGEST_PATTERN = 500;

/** Why a text is not a valid RE2 pattern; undefined for a valid one. */
export function patternFault(pattern: string): string | undefined {
  if (pattern.length > LONGEST_PATTERN) return `it is longer than ${LONGEST_PATTERN} characters`;
  try {
    return RE2JS.compile(pattern).test('') ? 'it matches an empty text' : undefined;
  } catch (thrown) {
    return messageOf(thrown).replace(/^error parsing regexp: /, '');
  }
}

/** Finds a valid pattern anywhere in a message, in linear time: its groups where it has any, else the whole message. */
export function patternOf(pattern: string): Pattern {
  const regex = RE2JS.compile(pattern);
  return (message) => {
    const matcher = regex.matcher(message);
    if (!matcher.find()) return undefined;
    const groups = Array.from({ length: matcher.groupCount() }, (_, at) => matcher.group(at + 1));
    return groups.length === 0 ? message : groups.filter((group) => group != null).join(' ');
  };
}

/** Replaces every match of a valid pattern by a text, as it is. */
export function maskOf(pattern: string, replacement: string): Mask {
  const regex = RE2JS.compile(pattern);
  const apply = (text: string): string => {
    const matcher = regex.matcher(text);
    let shown = '';
    let from = 0;
    while (matcher.find()) {
      shown += `${text.slice(from, matcher.start())}${replacement}`;
      from = matcher.end();
    }
    return from === 0 ? text : shown + text.slice(from);
  };
  return { name: pattern, apply };
}
