import path from 'node:path'
import { makeTypescriptClient } from '../clients/make-typescript-client.ts'
import { ReadableError, runCommand } from '../terminal/readable-error.ts'

/* `npm run clients -- FOLDER`: generates the clients from `docs/openapi.json`, and packs them as registries take them. */
await runCommand(async () => {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new ReadableError('Name a folder for the clients: npm run clients -- FOLDER')
  console.log(`✓ ${await makeTypescriptClient(path.resolve(folder, 'typescript'))}`)
})
