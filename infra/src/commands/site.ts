import path from 'node:path'
import { buildSite } from '../site/build-site.ts'
import { ReadableError, runCommand } from '../terminal/readable-error.ts'

/* `npm run site -- FOLDER`: builds the site of the documentation, which any web server can serve. */
await runCommand(async () => {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new ReadableError('Name a folder for the site: npm run site -- FOLDER')
  const pages = await buildSite(folder)
  console.log(`✓ ${path.resolve(folder)}: ${pages} pages`)
})
