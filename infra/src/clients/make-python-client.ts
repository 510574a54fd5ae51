import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { buildPythonPackage, installPythonPackages } from '../processes/install-python.ts'
import type { OpenApi } from '../site/openapi.ts'
import { ReadableError } from '../terminal/readable-error.ts'
import { describeApi } from './describe-api.ts'
import { prepareDocument } from './prepare-document.ts'
import { repositoryVersion, runTool } from './run-tool.ts'

const sources = path.join(repositoryRoot, 'clients', 'python')
const templates = path.join(sources, 'templates')

/** What generates the client and formats it. */
const tools = ['openapi-python-client==0.29.1', 'ruff==0.17.6']

const settings = {
  // A text with known values, so that a value of a later version is no error.
  literal_enums: true,
  // The generator knows no JSON lines.
  content_type_overrides: { 'application/jsonl': 'application/octet-stream' },
  post_hooks: ['ruff check . --no-cache --fix-only --quiet --select F401,I', 'ruff format . --no-cache --quiet'],
}

/**
 * Generates the client in Python, and builds what PyPI takes. Needs a Python of at least 3.11.
 *
 * @param folder is created, and its content is replaced
 * @returns the files, a wheel and a source distribution
 */
export async function makePythonClient(folder: string): Promise<readonly string[]> {
  const bin = await installTools()
  rmSync(folder, { recursive: true, force: true })
  cpSync(sources, folder, { recursive: true, filter: (file) => file !== templates })
  cpSync(path.join(repositoryRoot, 'LICENSE'), path.join(folder, 'LICENSE'))
  const facts = await generate(folder, bin)
  const code = path.join(folder, 'src', 'ratchet_client')
  // Over the generator's own client and errors.
  cpSync(path.join(sources, 'src', 'ratchet_client'), code, { recursive: true })
  const codes = facts.errorCodes.map((each) => `    "${each}",\n`).join('')
  const head = '"""Codes that the API documents."""\n\nfrom typing import Literal\n\n'
  writeFileSync(path.join(code, 'error_codes.py'), `${head}KnownErrorCode = Literal[\n${codes}]\n`)
  writeVersion(path.join(folder, 'pyproject.toml'))
  const dist = path.join(folder, 'dist')
  const built = await buildPythonPackage(folder, dist)
  if (built.kind === 'failed') throw new ReadableError(`The client in Python could not be built: ${built.reason}`)
  const isPackage = (name: string) => name.endsWith('.whl') || name.endsWith('.tar.gz')
  return readdirSync(dist)
    .filter(isPackage)
    .map((name) => path.join(dist, name))
}

async function installTools(): Promise<string> {
  const name = `python-client-${tools.join('-').replaceAll('==', '-')}`
  const installed = await installPythonPackages(name, tools)
  if (installed.kind === 'failed') throw new ReadableError(`The generator could not be installed: ${installed.reason}`)
  return path.join(installed.folder, 'venv', 'bin')
}

async function generate(folder: string, bin: string): Promise<ReturnType<typeof describeApi>> {
  const document = JSON.parse(readFileSync(path.join(repositoryRoot, 'docs', 'openapi.json'), 'utf8')) as OpenApi
  const input = path.join(folder, 'openapi.json')
  const config = path.join(folder, 'generator.json')
  writeFileSync(input, JSON.stringify(prepareDocument(document)))
  writeFileSync(config, JSON.stringify(settings))
  const code = path.join(folder, 'src', 'ratchet_client')
  const places = ['--path', input, '--output-path', code, '--config', config, '--custom-template-path', templates]
  const flags = ['--meta', 'none', '--overwrite', '--fail-on-warning']
  const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}` }
  await runTool(path.join(bin, 'openapi-python-client'), ['generate', ...places, ...flags], { cwd: folder, env })
  rmSync(input)
  rmSync(config)
  return describeApi(document)
}

function writeVersion(file: string): void {
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace('version = "0.0.0"', `version = "${repositoryVersion()}"`))
}
