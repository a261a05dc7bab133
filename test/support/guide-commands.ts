/** The commands that a guide shows: the lines of its `sh` blocks, without comments, each one whole. */
export function guideCommands(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^```sh\n(.*?)^```/gms)]
    .flatMap(([, block = '']) => block.replaceAll('\\\n', ' ').split('\n'))
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '');
}
