import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { runScript } from '../fleet/run-script.ts'

await runScript(path.join(repositoryRoot, 'services/voice/bench/main.ts'), process.argv.slice(2))
