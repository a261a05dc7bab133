export type { ActingContext, ReadingContext } from './contexts.ts';
export {
  type Compared,
  type DefinedIntegration,
  defineIntegration,
  type IntegrationDefinition,
} from './define-integration.ts';
export { type RunIntegrationOptions, runIntegration } from './run-integration.ts';
