import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parse, stringify } from 'yaml'
import { repositoryRoot } from '../fleet/data-paths.ts'

const alertsFile = path.join(repositoryRoot, 'infra/prometheus/alerts.yaml')
const dashboardsFolder = path.join(repositoryRoot, 'infra/grafana')
const target = path.join(repositoryRoot, 'k8s/components/monitoring/generated/alerts-and-dashboards.yaml')

const note = '# Written by `npm run codegen` from infra/prometheus/alerts.yaml and infra/grafana: change those.\n'

/** Writes alerts and dashboards as Kubernetes objects, because kustomize reads no file outside its own folder. */
export function writeMonitoringManifests(): void {
  writeFileSync(target, printMonitoringManifests())
}

/** @returns the problem of the generated file, or null when it is up to date */
export function checkMonitoringManifests(): string | null {
  const current = existsSync(target) ? readFileSync(target, 'utf8') : ''
  return current === printMonitoringManifests()
    ? null
    : `${path.relative(repositoryRoot, target)} is stale: run \`npm run codegen\``
}

export function printMonitoringManifests(): string {
  const objects = [prometheusRule(), ...dashboardsIn(dashboardsFolder).map(dashboard)]
  return note + objects.map((object) => stringify(object, { lineWidth: 0 })).join('---\n')
}

/** The alert rules as an object of the Prometheus operator. */
function prometheusRule(): object {
  const alerts = existsSync(alertsFile)
    ? (parse(readFileSync(alertsFile, 'utf8')) as { groups: unknown[] })
    : { groups: [] }
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'ratchet' },
    spec: { groups: alerts.groups },
  }
}

/** A ConfigMap with the label that Grafana's sidecar looks for. */
function dashboard(file: string): object {
  const name = path.basename(file)
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `dashboard-${path.basename(file, '.json')}`, labels: { grafana_dashboard: '1' } },
    data: { [name]: readFileSync(file, 'utf8') },
  }
}

function dashboardsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files.flatMap((file) => (file.endsWith('.json') ? [path.join(folder, file)] : [])).sort()
}
