import { writeMonitoringManifests } from '../k8s/monitoring-manifests.ts'
import { writeOpenApiFile } from '../print-openapi.ts'
import { runCommand } from '../readable-error.ts'

// The database client is the bootstrap's business: it has generated it by now if the schema changed.
await runCommand(async () => {
  writeOpenApiFile()
  writeMonitoringManifests()
  console.log('▸ packages/db/src/generated is up to date; docs/openapi.json and k8s/components/monitoring written')
})
