import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { newSecrets } from '../fleet/new-secrets.ts'
import { checkMonitoringManifests, printMonitoringManifests } from './monitoring-manifests.ts'
import { expectedSecrets } from './policies/references.ts'
import { parseObjects } from './render.ts'

it('is up to date with the alerts and dashboards', () => {
  expect(checkMonitoringManifests()).toBeNull()
})

it('contains every alert', () => {
  const file = path.join(repositoryRoot, 'infra/prometheus/alerts.yaml')
  const { groups } = existsSync(file) ? parse(readFileSync(file, 'utf8')) : { groups: [] }
  const [rule] = parseObjects(printMonitoringManifests())

  expect(rule).toMatchObject({ kind: 'PrometheusRule', spec: { groups } })
})

it('expects the secrets that `npm run compose:env` creates', () => {
  expect(expectedSecrets['ratchet-keys']).toEqual(Object.keys(newSecrets()))
})
