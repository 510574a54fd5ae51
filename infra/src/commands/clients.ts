import path from 'node:path'
import { makePythonClient } from '../clients/make-python-client.ts'
import { makeTypescriptClient } from '../clients/make-typescript-client.ts'
import { findPython } from '../processes/find-python.ts'
import { ReadableError, runCommand } from '../terminal/readable-error.ts'

/* `npm run clients -- FOLDER`: generates the clients from `docs/openapi.json`, and packs them as registries take them. */
await runCommand(async () => {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new ReadableError('Name a folder for the clients: npm run clients -- FOLDER')
  console.log(`✓ ${await makeTypescriptClient(path.resolve(folder, 'typescript'))}`)
  const python = findPython()
  if (python.kind === 'missing') {
    console.log(`- no client in Python: ${python.reason}`)
    return
  }
  for (const file of await makePythonClient(path.resolve(folder, 'python'))) console.log(`✓ ${file}`)
})
