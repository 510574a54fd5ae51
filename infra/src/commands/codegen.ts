import { writeOpenApiFile } from '../print-openapi.ts'
import { runCommand } from '../readable-error.ts'

// The database client is the bootstrap's business: it has generated it by now if the schema changed.
await runCommand(async () => {
  writeOpenApiFile()
  console.log('▸ packages/db/src/generated is up to date; docs/openapi.json written')
})
