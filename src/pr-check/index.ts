export type { PrCheckPorts, PrCheckRequest } from './ports.ts';
export { openPrCheck } from './pr-check.ts';
export { type CheckReport, type RunResult, verdictOf } from './report.ts';
export { checkMarkdown } from './report-markdown.ts';
export { checkJunit, checkText } from './report-text.ts';
export { type GuardedObject, type RenderedWorkloads, workloadKey } from './workloads.ts';
