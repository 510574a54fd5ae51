import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { collectOutput } from '@ratchet/infra/processes/collect-output'
import { findPython } from '@ratchet/infra/processes/find-python'
import { type SharedFleet, shareFleet } from '../shared-fleet/shared-fleet.ts'
import { workspaceWith } from '../workspace-with.ts'
import { type Tried, type TriedCase, withTable } from './compatibility-table.ts'
import { examplesFolder, installNpm, installPython, installTimeoutMs } from './install-software.ts'

/** The packages of each client; the first one gives the row its name. Their newest versions are installed. */
const javaScript: Readonly<Record<string, readonly string[]>> = {
  'openai.mjs': ['openai', 'zod'],
  'anthropic.mjs': ['@anthropic-ai/sdk'],
  'ai.mjs': ['ai', '@ai-sdk/openai', '@ai-sdk/openai-compatible', '@ai-sdk/anthropic', 'zod'],
  'langchain.mjs': ['langchain', '@langchain/openai', '@langchain/core', 'zod'],
  'openai-agents.mjs': ['@openai/agents', 'zod'],
  'ai-traces.mjs': [
    ...['@ai-sdk/otel', 'ai', '@ai-sdk/openai-compatible', 'zod'],
    ...['@opentelemetry/api', '@opentelemetry/sdk-trace', '@opentelemetry/exporter-trace-otlp-proto'],
  ],
}
const openTelemetry = ['opentelemetry-sdk', 'opentelemetry-exporter-otlp-proto-http']
const python: Readonly<Record<string, readonly string[]>> = {
  'openai_cases.py': ['openai'],
  'anthropic_cases.py': ['anthropic'],
  'langchain_cases.py': ['langchain', 'langchain-openai'],
  'agents_cases.py': ['openai-agents'],
  'pydantic_ai_cases.py': ['pydantic-ai-slim[openai]'],
  'litellm_cases.py': ['litellm'],
  'instructor_cases.py': ['instructor'],
  'llamaindex_cases.py': ['llama-index-llms-openai-like'],
  'haystack_cases.py': ['haystack-ai'],
  'semantic_kernel_cases.py': ['semantic-kernel'],
  'dspy_cases.py': ['dspy'],
  'cohere_cases.py': ['cohere'],
  'openinference_cases.py': ['openinference-instrumentation-openai', 'openai', ...openTelemetry],
  'openllmetry_cases.py': ['opentelemetry-instrumentation-openai', 'openai', ...openTelemetry],
  'logfire_cases.py': ['logfire', 'openai', 'pydantic-ai-slim[openai]'],
  'langfuse_cases.py': ['langfuse', 'openai'],
}

const casesFolder = path.join(examplesFolder, 'cases')
const tried: Tried[] = []
let fleet: SharedFleet

beforeAll(async () => {
  fleet = await shareFleet()
}, 90_000)

/** Runs a program of cases in a workspace of its own. */
async function casesOf(program: string, file: string, cwd: string): Promise<readonly TriedCase[]> {
  const { apiKey } = await workspaceWith(fleet, { loggingEnabled: true })
  const env = { PATH: process.env.PATH, HOME: cwd, RATCHET_BASE_URL: fleet.url, RATCHET_API_KEY: apiKey }
  const { ok, output } = await collectOutput(program, [file], { cwd, env })
  const lines = output.split('\n').filter((line) => line.startsWith('{"case"'))
  if (lines.length === 0) return [{ case: 'start', problem: output.trim().slice(-200) }]
  const cases = lines.map((line) => JSON.parse(line) as TriedCase)
  return ok ? cases : [...cases, { case: 'end', problem: output.trim().slice(-200) }]
}

/** The day is a part of the folder's name, so that a later run installs newer versions. */
const day = new Date().toISOString().slice(0, 10)

it.each(Object.entries(javaScript))(
  'tries %s',
  async (file, packages) => {
    const folder = await installNpm(
      packages.map((name) => `${name}@latest`),
      day,
    )
    for (const each of ['run-cases.mjs', file]) cpSync(path.join(casesFolder, each), path.join(folder, each))
    const versions = packages
      .filter((name) => name !== 'zod')
      .map((name) => {
        const { version } = JSON.parse(readFileSync(path.join(folder, 'node_modules', name, 'package.json'), 'utf8'))
        return `${name} ${version}`
      })
    const cases = await casesOf(process.execPath, file, folder)
    tried.push({ client: packages[0] ?? '', language: 'JavaScript', versions: versions.join(', '), cases })
  },
  installTimeoutMs,
)

const withPython = findPython().kind === 'found' ? it : it.skip

withPython.each(Object.entries(python))(
  'tries %s',
  async (file, packages) => {
    const programs = await installPython(packages, day)
    const folder = path.dirname(path.dirname(programs))
    for (const each of ['cases.py', 'openai_traces.py', file])
      cpSync(path.join(casesFolder, each), path.join(folder, each))
    const names = packages.map((name) => name.replace(/\[.*/, ''))
    const read = 'import importlib.metadata as m, sys; print(", ".join(f"{n} {m.version(n)}" for n in sys.argv[1:]))'
    const { output } = await collectOutput(path.join(programs, 'python'), ['-c', read, ...names])
    const cases = await casesOf(path.join(programs, 'python'), file, folder)
    tried.push({ client: names[0] ?? '', language: 'Python', versions: output.trim(), cases })
  },
  installTimeoutMs,
)

it('writes the table', () => {
  const file = process.env.COMPATIBILITY_FILE ?? ''
  expect(existsSync(file)).toBe(true)
  expect(tried).toHaveLength(Object.keys({ ...javaScript, ...python }).length)
  writeFileSync(file, withTable(readFileSync(file, 'utf8'), tried, day))
})
