import { simulateFleets } from '../support/upgrade-simulation-suite.ts';

simulateFleets(2, 4);
