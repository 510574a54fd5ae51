import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { findProgram } from '../processes/find-program.ts'
import { installInFolder } from '../processes/install-in-folder.ts'
import type { OpenApi } from '../site/openapi.ts'
import { ReadableError } from '../terminal/readable-error.ts'
import { describeApi } from './describe-api.ts'
import { repositoryVersion, runTool } from './run-tool.ts'

const sources = path.join(repositoryRoot, 'clients', 'typescript')
const document = path.join(repositoryRoot, 'docs', 'openapi.json')

/** What generates, compiles and runs the client. */
const tools = ['openapi-typescript@7.13.0', 'typescript@5.9.3', 'openapi-fetch@0.17.0']

/**
 * Generates the client in TypeScript, compiles it, and packs it as npm publishes it.
 *
 * @param folder is created, and its content is replaced
 * @returns the file of the package
 */
export async function makeTypescriptClient(folder: string): Promise<string> {
  const installed = await installTools()
  const at = { cwd: folder }
  rmSync(folder, { recursive: true, force: true })
  cpSync(sources, folder, { recursive: true })
  cpSync(path.join(repositoryRoot, 'LICENSE'), path.join(folder, 'LICENSE'))
  cpSync(path.join(installed, 'node_modules', 'openapi-fetch'), path.join(folder, 'node_modules/openapi-fetch'), copy)
  const helpers = path.join('node_modules', 'openapi-typescript-helpers')
  cpSync(path.join(installed, helpers), path.join(folder, helpers), copy)
  const bin = path.join(installed, 'node_modules', '.bin')
  mkdirSync(path.join(folder, 'src', 'generated'))
  await runTool(path.join(bin, 'openapi-typescript'), [document, '--output', 'src/generated/api.ts'], at)
  writeFacts(path.join(folder, 'src', 'generated'))
  writeVersion(folder)
  await runTool(path.join(bin, 'tsc'), ['--project', '.'], at)
  const printed = await runTool(npm(), ['pack', '--json', '--loglevel=error'], at)
  const [{ filename }] = JSON.parse(printed.slice(printed.indexOf('['))) as [{ filename: string }]
  return path.join(folder, filename)
}

const copy = { recursive: true, dereference: true }

async function installTools(): Promise<string> {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const installed = await installInFolder({
    name: `typescript-client-${tools.join('-').replaceAll('@', '-')}`,
    prepare: (at) => [[npm(), 'install', '--prefix', at, ...flags, ...tools]],
  })
  if (installed.kind === 'failed') throw new ReadableError(`The generator could not be installed: ${installed.reason}`)
  return installed.folder
}

function writeFacts(folder: string): void {
  const facts = describeApi(JSON.parse(readFileSync(document, 'utf8')) as OpenApi)
  const codes = facts.errorCodes.map((code) => `\n  | '${code}'`).join('')
  writeFileSync(
    path.join(folder, 'error-codes.ts'),
    `/** Codes that the API documents. */\nexport type KnownErrorCode =${codes}\n`,
  )
  const operations = JSON.stringify(facts.idempotentOperations, null, 2)
  const text = `export const idempotentOperations: ReadonlySet<string> = new Set(${operations})\n`
  writeFileSync(path.join(folder, 'idempotent-operations.ts'), text)
}

function writeVersion(folder: string): void {
  const file = path.join(folder, 'package.json')
  const description = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  writeFileSync(file, `${JSON.stringify({ ...description, version: repositoryVersion() }, null, 2)}\n`)
}

function npm(): string {
  const found = findProgram('npm')
  if (found === null) throw new ReadableError('npm is not on the PATH.')
  return found
}
