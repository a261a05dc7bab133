export { type IntegrationRequest, newIntegration, newRollouts } from './additions.ts';
export { INSTANCE_QUESTIONS, type InstanceAnswers, instanceAnswers } from './answers.ts';
export type { NewFiles } from './datafiles.ts';
export { newInstance, nextSteps } from './new-instance.ts';
