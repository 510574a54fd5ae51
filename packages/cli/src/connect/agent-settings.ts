export interface Access {
  /** Without a slash at the end and without `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly model: string
}

/** How a coding agent is pointed at a deployment. */
export interface AgentSettings {
  /** Environment variables, of which one has the API key. */
  readonly env: Readonly<Record<string, string>>
  /** A file below the home folder, with its content; null when variables are enough. */
  readonly file: { readonly path: string; readonly content: string } | null
  /** The command that starts the agent. */
  readonly command: string
}

export const agents = ['claude-code', 'codex', 'opencode', 'aider'] as const
export type Agent = (typeof agents)[number]

/** The variable that the files name, so that they contain no key. */
const keyVariable = 'RATCHET_API_KEY'

const settings: Readonly<Record<Agent, (access: Access) => AgentSettings>> = {
  'claude-code': ({ baseUrl, apiKey, model }) => ({
    env: {
      ANTHROPIC_BASE_URL: baseUrl,
      ANTHROPIC_AUTH_TOKEN: apiKey,
      ANTHROPIC_MODEL: model,
      // Titles and other small work would otherwise need a model of Anthropic.
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    },
    file: null,
    command: 'claude',
  }),
  codex: ({ baseUrl, apiKey, model }) => ({
    env: { [keyVariable]: apiKey },
    file: { path: '.codex/config.toml', content: codexFile(baseUrl, model) },
    command: 'codex',
  }),
  opencode: ({ baseUrl, apiKey, model }) => ({
    env: { [keyVariable]: apiKey },
    file: { path: '.config/opencode/opencode.json', content: openCodeFile(baseUrl, model) },
    command: 'opencode',
  }),
  aider: ({ baseUrl, apiKey, model }) => ({
    env: { OPENAI_API_BASE: `${baseUrl}/v1`, OPENAI_API_KEY: apiKey },
    file: null,
    command: `aider --model ${JSON.stringify(`openai/${model}`)}`,
  }),
}

export function agentSettings(agent: Agent, access: Access): AgentSettings {
  return settings[agent](access)
}

/** A text in quotes means the same in TOML and in JSON. */
function codexFile(baseUrl: string, model: string): string {
  return [
    `model = ${JSON.stringify(model)}`,
    'model_provider = "ratchet"',
    '',
    '[model_providers.ratchet]',
    'name = "Ratchet"',
    `base_url = ${JSON.stringify(`${baseUrl}/v1`)}`,
    `env_key = ${JSON.stringify(keyVariable)}`,
    'wire_api = "responses"',
    '',
  ].join('\n')
}

function openCodeFile(baseUrl: string, model: string): string {
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    name: 'Ratchet',
    options: { baseURL: `${baseUrl}/v1`, apiKey: `{env:${keyVariable}}` },
    models: { [model]: { name: model } },
  }
  const file = {
    $schema: 'https://opencode.ai/config.json',
    model: `ratchet/${model}`,
    small_model: `ratchet/${model}`,
    provider: { ratchet: provider },
  }
  return `${JSON.stringify(file, null, 2)}\n`
}
