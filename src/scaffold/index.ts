export { INSTANCE_QUESTIONS, type InstanceAnswers, instanceAnswers } from './answers.ts';
export { nextSteps } from './first-steps.ts';
export type { NewFiles } from './new-files.ts';
export { newInstance } from './new-instance.ts';
export { type IntegrationRequest, newIntegration } from './new-integration.ts';
export { newRollouts } from './new-rollouts.ts';
