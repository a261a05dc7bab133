/** Replaces what differs between equal runs. */
export interface Mask {
  readonly name: string;
  apply(text: string): string;
}

const TIME = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?`;

/** The built-in masks in their order, as docs/guide/shadow.md lists them. Each is linear. */
export const BUILT_IN_MASKS: readonly Mask[] = [
  mask('next_run', /(['"]next_run['"]: )(?:'[^'\n]*'|"[^"\n]*"|None)/g, "$1'<time>'"),
  mask('request id', /(\brequest[-_ ]?id['"]?[:=] ?['"]?)[\w.-]+/gi, '$1<id>'),
  mask('time', new RegExp(String.raw`\b${TIME}`, 'g'), '<time>'),
  mask(
    'duration',
    /\b(in|after|took|elapsed|duration)([:=]? )\d+(?:\.\d+)? ?(?:ms|s|m|seconds?|minutes?)\b/gi,
    '$1$2<duration>',
  ),
  mask('random suffix', /(-token-)[a-z0-9]{5}(?![\w-])/g, '$1<random>'),
  mask('temporary path', /(\/(?:var\/)?tmp\/)[^\s'",:;/()[\]{}]+/g, '$1<temporary>'),
];

function mask(name: string, pattern: RegExp, replacement: string): Mask {
  return { name, apply: (text) => text.replace(pattern, replacement) };
}
