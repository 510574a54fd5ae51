import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Agent, agentSettings } from '@ratchet/cli/connect/agent-settings'
import { findPython } from '@ratchet/infra/processes/find-python'
import { installPython } from '../client-software/install-software.ts'
import { type SharedFleet, shareFleet } from '../shared-fleet/shared-fleet.ts'
import { installAgents } from './install-agents.ts'

let commands: string
let aiderCommands: string
let fleet: SharedFleet

beforeAll(async () => {
  commands = await installAgents()
  if (hasPython) aiderCommands = await installPython(['aider-chat==0.86.2'])
  fleet = await shareFleet()
}, 800_000)

const hasPython = findPython().kind === 'found'

const task = 'Read the file notes.txt and say what is in it.'

/** How each agent is started for one task, without questions. */
const starts: Readonly<Record<Agent, readonly string[]>> = {
  'claude-code': [
    ...['claude', '-p', task, '--tools', 'Read', '--allowedTools', 'Read'],
    ...['--output-format', 'stream-json', '--verbose'],
  ],
  codex: ['codex', 'exec', '--json', '--skip-git-repo-check', '--sandbox', 'read-only', task],
  opencode: ['opencode', 'run', task],
  aider: ['aider', '--message', task, '--yes-always', '--no-git', '--no-show-release-notes', 'notes.txt'],
}

/** What the output of an agent has after a call of a tool and an answer; opencode prints the answer only, and aider has no tools. */
const signs: Readonly<Record<Agent, readonly string[]>> = {
  'claude-code': ['"type":"tool_use"', '"type":"tool_result"', '"subtype":"success"'],
  codex: ['"type":"command_execution"', '"type":"agent_message"', '"type":"turn.completed"'],
  opencode: [],
  aider: ['Tokens:'],
}

/** Nothing but the fleet may be called. */
const quiet = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  AIDER_ANALYTICS: 'false',
  AIDER_CHECK_UPDATE: 'false',
  AIDER_SHOW_MODEL_WARNINGS: 'false',
  LITELLM_LOCAL_MODEL_COST_MAP: 'True',
}

/** Without prices that it has read lately, aider reads them from GitHub. */
const aiderPrices = { path: '.aider/caches/model_prices_and_context_window.json', content: '{"none":{}}' }

/**
 * Runs an agent in a new home folder with what `ratchet connect` prints.
 *
 * @param added what follows in the file of the agent, and in its variables
 */
async function runAgent(agent: Agent, model: string, added: { file?: string; env?: Record<string, string> } = {}) {
  const home = await mkdtemp(path.join(tmpdir(), 'ratchet-agent-'))
  try {
    const { env, file: own } = agentSettings(agent, { baseUrl: fleet.url, apiKey: fleet.workspace.apiKey, model })
    for (const file of [own, agent === 'aider' ? aiderPrices : null]) {
      if (file === null) continue
      await mkdir(path.dirname(path.join(home, file.path)), { recursive: true })
      await writeFile(path.join(home, file.path), file.content + (file === own ? (added.file ?? '') : ''))
    }
    const work = path.join(home, 'work')
    await mkdir(work)
    await writeFile(path.join(work, 'notes.txt'), 'Buy tea.')
    const [name = '', ...args] = starts[agent]
    const folder = agent === 'aider' ? aiderCommands : commands
    const named = agent === 'aider' ? ['--model', `openai/${model}`] : []
    return await run(path.join(folder, name), [...named, ...args], {
      cwd: work,
      env: { ...quiet, ...env, ...added.env, HOME: home },
    })
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

function run(command: string, args: readonly string[], { cwd, env }: { cwd: string; env: Record<string, string> }) {
  return new Promise<{ code: number | null; out: string; err: string }>((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 280_000,
    })
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text
    })
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, out, err }))
  })
}

const agents = (Object.keys(starts) as Agent[]).filter((agent) => agent !== 'aider' || hasPython)
const models = ['sim-anthropic/tools', 'sim/tools']

describe.each(agents)('%s', (agent) => {
  it.each(models)(
    'calls a tool and answers, on %s',
    async (model) => {
      const { requests: before } = await fleet.provider.report()
      const { code, out, err } = await runAgent(agent, model)
      const { requests } = await fleet.provider.report()
      const calls = requests.filter((row) => row.model === model && !before.some(({ id }) => id === row.id))
      expect({ code, err: code === 0 ? '' : err, statuses: [...new Set(calls.map(({ status }) => status))] }).toEqual({
        code: 0,
        err: '',
        statuses: [200],
      })
      // The first answer calls a tool, and the last one is the text that the agent prints.
      expect(calls.length).toBeGreaterThanOrEqual(agent === 'aider' ? 1 : 2)
      expect(out.trim().length).toBeGreaterThan(20)
      expect(signs[agent].filter((sign) => !out.includes(sign))).toEqual([])
    },
    300_000,
  )
})

it.each(models)(
  'codex calls a tool and answers over a WebSocket, on %s',
  async (model) => {
    // The log of Codex says which transport it took.
    const added = { file: 'supports_websockets = true\n', env: { RUST_LOG: 'codex_api=info' } }
    const { code, out, err } = await runAgent('codex', model, added)
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' })
    expect(signs.codex.filter((sign) => !out.includes(sign))).toEqual([])
    expect(err).toContain('transport="responses_websocket"')
    expect(err).not.toMatch(/falling back/i)
  },
  300_000,
)
