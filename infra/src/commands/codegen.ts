import { writeOpenApiFile } from '../checks/print-openapi.ts'
import { writeMonitoringManifests } from '../k8s/monitoring-manifests.ts'
import { writeLicenceDocument } from '../ops/dependencies/licence-document.ts'
import { runCommand } from '../terminal/readable-error.ts'

// The bootstrap has generated the database client already if the schema changed.
await runCommand(async () => {
  writeOpenApiFile()
  writeMonitoringManifests()
  writeLicenceDocument()
  console.log(
    '▸ packages/db/src/generated is up to date; docs/openapi.json, docs/licences.md, k8s/components/monitoring written',
  )
})
