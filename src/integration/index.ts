export {
  type ActingContext,
  type Compared,
  type DefinedIntegration,
  defineIntegration,
  type IntegrationDefinition,
  type ReadingContext,
} from './definition.ts';
export { type RunIntegrationOptions, runIntegration } from './run.ts';
