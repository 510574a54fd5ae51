import { cpSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { collectOutput } from '../processes/collect-output.ts'
import { findProgram } from '../processes/find-program.ts'
import { installInFolder } from '../processes/install-in-folder.ts'
import { ReadableError, runCommand } from '../terminal/readable-error.ts'

/** TypeScript 5 because the compiler of this repository has no stable API that reads types. */
const packages = ['openai@latest', '@anthropic-ai/sdk@latest', 'typescript@5.9.3']
const npmFlags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
const programs = path.join(repositoryRoot, 'infra/src/sdk-requests')
const file = path.join(repositoryRoot, 'services/inference/src/request/sdk-requests/requests.jsonl')

/* Writes the requests that the types of the newest SDKs of OpenAI and Anthropic allow, for `sdk-requests.int.test.ts`. */
await runCommand(async () => {
  const npm = findProgram('npm')
  if (npm === null) throw new ReadableError('npm is not on the PATH.')
  const name = `sdk-requests-${new Date().toISOString().slice(0, 10)}`
  const prepare = (at: string) => [[npm, 'install', '--prefix', at, ...npmFlags, ...packages] as const]
  const installed = await installInFolder({ name, prepare })
  if (installed.kind === 'failed') throw new ReadableError(`The SDKs could not be installed: ${installed.reason}`)
  const { folder } = installed
  for (const each of ['bodies.mjs', 'print-requests.mjs', 'read-types.mjs', 'samples.mjs', 'variants.mjs'])
    cpSync(path.join(programs, each), path.join(folder, each))
  const { ok, output } = await collectOutput(process.execPath, ['print-requests.mjs'], { cwd: folder })
  if (!ok) throw new ReadableError(output.trim().slice(-2_000))
  writeFileSync(file, output)
  console.log(`▸ ${output.trim().split('\n').length} requests are in ${path.relative(repositoryRoot, file)}`)
})
