import { writeOpenApiFile } from '../checks/print-openapi.ts'
import { writeMonitoringManifests } from '../k8s/monitoring-manifests.ts'
import { runCommand } from '../terminal/readable-error.ts'

// The bootstrap has generated the database client already if the schema changed.
await runCommand(async () => {
  writeOpenApiFile()
  writeMonitoringManifests()
  console.log('▸ packages/db/src/generated is up to date; docs/openapi.json and k8s/components/monitoring written')
})
