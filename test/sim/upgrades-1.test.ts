import { simulateFleets } from '../support/upgrade-simulation-suite.ts';

simulateFleets(1, 4);
