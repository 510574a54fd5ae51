import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { stringify } from 'yaml'
import type { FleetInfo } from '../fleet/fleet-file.ts'

export interface TelemetryPlaces {
  readonly metricsUrls: FleetInfo['metrics_urls']
  /** The folder of the written configuration. */
  readonly folder: string
  readonly alertRules: string
  readonly dashboards: string
  /** Where traces are exported to; null when no endpoint is set. */
  readonly otlpEndpoint: string | null
  /** Share of requests whose trace is recorded, 0 to 1. */
  readonly sampled: string
  /** Full path of Prometheus; null when it is not installed. */
  readonly prometheus: string | null
}

/** A configuration for Prometheus: one target for each process, and the alert rules. */
export function prometheusConfig({
  metricsUrls,
  alertRules,
}: Pick<TelemetryPlaces, 'metricsUrls' | 'alertRules'>): string {
  return stringify({
    global: { scrape_interval: '15s', evaluation_interval: '15s' },
    rule_files: [alertRules],
    scrape_configs: [
      {
        job_name: 'ratchet',
        static_configs: [{ targets: Object.values(metricsUrls).map((url) => new URL(url).host) }],
      },
    ],
  })
}

/** Writes the configuration and resolves with its path. */
export function writePrometheusConfig(places: TelemetryPlaces): string {
  mkdirSync(places.folder, { recursive: true })
  const file = path.join(places.folder, 'prometheus.yml')
  writeFileSync(file, prometheusConfig(places))
  return file
}

/** The text that `--telemetry` prints: addresses of metrics, alert rules, dashboards and traces. */
export function telemetryGuide(places: TelemetryPlaces, configFile: string): string {
  const { metricsUrls, folder, alertRules, dashboards, otlpEndpoint, sampled, prometheus } = places
  const metrics = Object.entries(metricsUrls).map(([name, url]) => `    ${name.padEnd(15)} ${url}`)
  const run = [
    `${prometheus ?? 'prometheus'} --config.file=${configFile} \\`,
    `  --storage.tsdb.path=${path.join(folder, 'prometheus')} --web.listen-address=127.0.0.1:9090`,
  ]
  return [
    '',
    '  Telemetry',
    '',
    '  Metrics of every process:',
    ...metrics,
    '',
    `  Alert rules  ${alertRules}`,
    `  Dashboards   ${dashboards}/*.json, to import into Grafana`,
    `  Prometheus   ${prometheus === null ? 'is not on the PATH; start it with' : 'can be started with'}`,
    '',
    ...run,
    '',
    otlpEndpoint === null
      ? '  Traces       are not exported: set OTEL_EXPORTER_OTLP_ENDPOINT (OTLP over HTTP, such as http://127.0.0.1:4318)'
      : `  Traces       ${otlpEndpoint}, sampled share ${sampled}`,
    '',
  ].join('\n')
}
