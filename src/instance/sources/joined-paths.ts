/**
 * Many paths in one text, which is kept and passed on faster than a list of them. Each begins with a slash, and none has two in a
 * row: joined they are as different as apart.
 */
export function joinPaths(paths: readonly string[]): string {
  return paths.join('/');
}

export function splitPaths(joined: string): string[] {
  const paths: string[] = [];
  everyPath(joined, (path) => paths.push(path) > 0);
  return paths;
}

/** One at a time: thousands of texts at once would outlive a collection of garbage. */
export function everyPath(joined: string, check: (path: string, index: number) => boolean): boolean {
  let start = 0;
  for (let index = 0; start < joined.length; index += 1) {
    const next = joined.indexOf('//', start);
    const end = next === -1 ? joined.length : next;
    if (!check(joined.slice(start, end), index)) return false;
    start = end + 1;
  }
  return true;
}
