export { type PrometheusOptions, prometheusQuery } from './prometheus-query.ts';
