export interface ReleaseFacts {
  readonly version: string;
  /** The tag that is released, if any. */
  readonly tag?: string;
  readonly changelog: string;
  readonly charts: readonly { readonly name: string; readonly version: string; readonly appVersion: string }[];
}

/** Why these sources cannot be released under their version: one text for each reason. */
export function releaseProblems({ version, tag, changelog, charts }: ReleaseFacts): string[] {
  const problems: string[] = [];
  if (tag !== undefined && tag !== `v${version}`) problems.push(`the tag is ${tag}, but package.json has ${version}`);
  if (!new RegExp(`^## ${version.replaceAll('.', '\\.')}(?:$| )`, 'm').test(changelog))
    problems.push(`CHANGELOG.md has no section "## ${version}"`);
  for (const chart of charts) {
    for (const field of ['version', 'appVersion'] as const)
      if (chart[field] !== version)
        problems.push(`charts/${chart.name}/Chart.yaml has ${field} ${chart[field]}, but package.json has ${version}`);
  }
  return problems;
}
