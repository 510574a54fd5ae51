import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { stringify } from 'yaml'
import type { FleetInfo } from './fleet-file.ts'

export interface TelemetryPlaces {
  readonly metricsUrls: FleetInfo['metrics_urls']
  /** The folder that the configuration is written to. */
  readonly folder: string
  readonly alertRules: string
  readonly dashboards: string
  /** Where traces go; null when nobody said. */
  readonly otlpEndpoint: string | null
  /** Share of the traces that is recorded. */
  readonly sampled: string
  /** Full path of Prometheus; null where there is none. */
  readonly prometheus: string | null
}

/** A configuration for Prometheus: every process of the fleet as a target of its own, and our alert rules. */
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

/** What a person needs to look into a running fleet. */
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
    `  Dashboards   ${dashboards}/*.json, to be imported into Grafana`,
    `  Prometheus   ${prometheus === null ? 'is not on the PATH; with it' : 'can be started with'}`,
    '',
    ...run,
    '',
    otlpEndpoint === null
      ? '  Traces       go nowhere: set OTEL_EXPORTER_OTLP_ENDPOINT (OTLP over HTTP, such as http://127.0.0.1:4318)'
      : `  Traces       ${otlpEndpoint}, of requests a share of ${sampled}`,
    '',
  ].join('\n')
}
