import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { collectOutput } from '@ratchet/infra/processes/collect-output'
import { findPython } from '@ratchet/infra/processes/find-python'
import { ledgerOf } from '../charge.ts'
import { type SharedFleet, shareFleet } from '../shared-fleet/shared-fleet.ts'
import { examplesFolder, installExamples, installPython, installTimeoutMs } from './install-software.ts'

let fleet: SharedFleet
let folder: string

beforeAll(async () => {
  fleet = await shareFleet()
  folder = await installExamples()
}, installTimeoutMs)

const programs = readdirSync(examplesFolder).filter((file) => file.endsWith('.mjs'))
const pythonPrograms = readdirSync(path.join(examplesFolder, 'python')).filter((file) => file.endsWith('.py'))

/** What an example prints, when it does what it says. */
const prints: Readonly<Record<string, RegExp>> = {
  'openai.mjs': /blue[\s\S]*\d+ tokens, \d\S* USD/,
  'anthropic.mjs': /blue[\s\S]*\d+ tokens written, \d\S* USD/,
  'ai-sdk.mjs': /2 steps, 1 calls of a function\n./,
  'langchain.mjs': /ai: \ntool: It rains in [^\n]*\nai: ./,
  'openai-agents.mjs': /tool_call_item, tool_call_output_item, message_output_item\n./,
  'llamaindex.mjs': /1 calls of a function\n./,
  'mastra.mjs': /1 calls of a function\n./,
  'openai_chat.py': /blue[\s\S]*\d+ tokens, \d\S* USD/,
  'anthropic_messages.py': /blue[\s\S]*\d+ tokens written, \d\S* USD/,
  'langchain_agent.py': /ai: \ntool: It rains in [^\n]*\nai: ./,
  'openai_agents.py': /tool_call_item, tool_call_output_item, message_output_item\n./,
  'pydantic_ai_agent.py': /.\nRunUsage\(.*requests=2/,
  'llamaindex_chat.py': /blue/,
  'haystack_agent.py': /assistant: calls weather\ntool: It rains in [^\n]*\nassistant: ./,
  'semantic_kernel_agent.py': /weather_agent: .*\nweather_agent: .*\n1 calls of a function/,
  'instructor_extraction.py': /City\(name='.+', country='.+'\)\n\d\S* USD/,
  'dspy_program.py': /.\n\d calls of the model/,
}

async function runExample(program: string, args: readonly string[]): Promise<{ ok: boolean; output: string }> {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    RATCHET_BASE_URL: fleet.url,
    RATCHET_API_KEY: fleet.workspace.apiKey,
  }
  return collectOutput(program, args, { cwd: folder, env })
}

it.each(programs)(
  '%s does what it shows',
  async (file) => {
    const { ok, output } = await runExample(process.execPath, [file])
    expect([output, ok]).toEqual([expect.stringMatching(prints[file] ?? /^$/), true])
  },
  120_000,
)

const withPython = findPython().kind === 'found' ? it : it.skip

withPython.each(pythonPrograms)(
  'python/%s does what it shows',
  async (file) => {
    const [, list = '[]'] =
      readFileSync(path.join(folder, 'python', file), 'utf8').match(/^# dependencies = (.*)$/m) ?? []
    const programs = await installPython(JSON.parse(list) as string[])
    const { ok, output } = await runExample(path.join(programs, 'python'), [path.join('python', file)])
    expect([output, ok]).toEqual([expect.stringMatching(prints[file] ?? /^$/), true])
  },
  installTimeoutMs,
)

it('leaves no hold', async () => {
  expect(await ledgerOf(fleet)).toMatchObject({ held: 0n, open: 0, violations: [] })
})
