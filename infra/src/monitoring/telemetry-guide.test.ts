import { parse } from 'yaml'
import { prometheusConfig, type TelemetryPlaces, telemetryGuide } from './telemetry-guide.ts'

const places: TelemetryPlaces = {
  metricsUrls: { edge: 'http://127.0.0.1:8090/metrics', inference: 'http://127.0.0.1:41234/metrics' },
  folder: '/data/telemetry',
  alertRules: '/ratchet/infra/prometheus/alerts.yaml',
  dashboards: '/ratchet/infra/grafana',
  otlpEndpoint: null,
  sampled: '1',
  prometheus: null,
}

it('configures Prometheus with the real port of every process, and with the alert rules', () => {
  expect(parse(prometheusConfig(places))).toMatchObject({
    rule_files: ['/ratchet/infra/prometheus/alerts.yaml'],
    scrape_configs: [{ job_name: 'ratchet', static_configs: [{ targets: ['127.0.0.1:8090', '127.0.0.1:41234'] }] }],
  })
})

it('prints all addresses, how to run Prometheus, and how to export traces', () => {
  const guide = telemetryGuide(places, '/data/telemetry/prometheus.yml')
  for (const text of [
    ...Object.values(places.metricsUrls),
    places.alertRules,
    places.dashboards,
    'prometheus --config.file=/data/telemetry/prometheus.yml',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
  ]) {
    expect(guide).toContain(text)
  }
  const reported = telemetryGuide(
    { ...places, otlpEndpoint: 'http://collector:4318', prometheus: '/usr/bin/prometheus' },
    'p.yml',
  )
  expect(reported).toContain('http://collector:4318, sampled share 1')
  expect(reported).toContain('/usr/bin/prometheus --config.file=p.yml')
})
