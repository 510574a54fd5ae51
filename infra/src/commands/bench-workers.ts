import path from 'node:path'
import { repositoryRoot } from '../data-paths.ts'
import { runScript } from '../run-script.ts'

await runScript(path.join(repositoryRoot, 'bench/src/workers/main.ts'), process.argv.slice(2))
