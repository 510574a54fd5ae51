import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Answer } from '../answer.ts'
import { addressOf } from '../api/api-address.ts'
import { type CliIo, envValue } from '../cli-io.ts'
import { readFleetFile } from '../fleet-file.ts'
import { type Agent, type AgentSettings, agentSettings, agents } from './agent-settings.ts'

interface Options {
  readonly baseUrl?: string
  readonly model?: string
}

/** A model that works with each agent, and one of the demo's simulated models. */
const usualModels: Readonly<Record<Agent, string>> = {
  'claude-code': 'claude-sonnet-4-6',
  codex: 'gpt-5',
  opencode: 'gpt-5',
  aider: 'gpt-5',
}
const simulatedModel = 'sim/tools'

/** Adds a command for each coding agent, which prints what to paste. It changes no file. */
export function connectAgents(program: Command, io: CliIo, print: (answer: Answer) => void): void {
  const group = program.command('connect').description('Print the lines that point a coding agent at a deployment.')
  for (const agent of agents) {
    group
      .command(agent)
      .description(`The lines for ${agent}.`)
      .option('--model <model>', 'a model or an alias (default: a usual one for the agent)', parseModel)
      .addOption(new Option('--base-url <url>', 'default: RATCHET_BASE_URL, else the fleet of `npm start`'))
      .action(async (options: Options) => print(await connectAgent(agent, options, io.env)))
  }
}

/**
 * The key of the demo is printed, as `npm start` does. Any other key stays where it is: the lines name the variable that
 * has it.
 */
async function connectAgent(
  agent: Agent,
  { baseUrl: named, model: given }: Options,
  env: CliIo['env'],
): Promise<Answer> {
  const noKey = { ...env, RATCHET_API_KEY: envValue(env, 'RATCHET_API_KEY') ?? ownKey }
  const isNamed = named !== undefined || envValue(env, 'RATCHET_BASE_URL') !== undefined
  const { baseUrl, apiKey } = await addressOf(named === undefined ? {} : { baseUrl: named }, isNamed ? noKey : env)
  const isOwn = isNamed || envValue(env, 'RATCHET_API_KEY') !== undefined
  const model = given ?? (await usualModel(agent, baseUrl, env))
  const made = agentSettings(agent, { baseUrl, apiKey: isOwn ? ownKey : apiKey, model })
  return { json: { agent, model, ...made }, text: linesOf(made) }
}

/** The key of another deployment, which the user puts into this variable. */
const ownKey = '$RATCHET_API_KEY'

/** The demo has no key of a provider, so only its simulated models answer. */
async function usualModel(agent: Agent, baseUrl: string, env: CliIo['env']): Promise<string> {
  const fleet = await readFleetFile(env)
  const isDemo = fleet?.base_url === baseUrl && (fleet.simulated_provider_url ?? null) !== null
  return isDemo ? simulatedModel : usualModels[agent]
}

function linesOf({ env, file, command }: AgentSettings): string {
  const exports = Object.entries(env).flatMap(([name, value]) => {
    const text = value === ownKey ? value : quoted(value)
    return text === `$${name}` ? [] : [`export ${name}=${text}`]
  })
  const written = file === null ? [] : ['', `# ${file.path} in your home folder:`, file.content.trimEnd()]
  return ['# in your shell:', ...exports, command, ...written].join('\n')
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`
}

function parseModel(value: string): string {
  if (/^[\x21-\x7e]{1,256}$/.test(value)) return value
  throw new InvalidArgumentError('Expected the name of a model or of an alias.')
}
