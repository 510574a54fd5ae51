import type { FleetInfo } from './fleet-file.ts'

/** The prefix of a provider's models by the variable that holds its key. */
const providers: readonly (readonly [string, string])[] = [
  ['OPENAI_API_KEY', 'openai/'],
  ['ANTHROPIC_API_KEY', 'anthropic/'],
  ['GEMINI_API_KEY', 'google/'],
  ['GOOGLE_API_KEY', 'google/'],
  ['GROQ_API_KEY', 'groq/'],
  ['TOGETHER_API_KEY', 'together/'],
  ['FIREWORKS_API_KEY', 'fireworks/'],
  ['DEEPINFRA_API_KEY', 'deepinfra/'],
  ['MISTRAL_API_KEY', 'mistral/'],
  ['DEEPSEEK_API_KEY', 'deepseek/'],
  ['DASHSCOPE_API_KEY', 'alibaba/'],
  ['OPENROUTER_API_KEY', 'openrouter/'],
  ['COHERE_API_KEY', 'cohere/'],
  ['AZURE_OPENAI_API_KEY', 'azure-openai/'],
  ['VERTEX_API_KEY', 'vertex/'],
  ['XAI_API_KEY', 'xai/'],
  ['CEREBRAS_API_KEY', 'cerebras/'],
  ['PERPLEXITY_API_KEY', 'perplexity/'],
  ['NVIDIA_API_KEY', 'nvidia/'],
  ['SAMBANOVA_API_KEY', 'sambanova/'],
  ['MOONSHOT_API_KEY', 'moonshot/'],
  ['ZAI_API_KEY', 'zai/'],
  ['MINIMAX_API_KEY', 'minimax/'],
  ['NEBIUS_API_KEY', 'nebius/'],
  ['HUGGINGFACE_API_KEY', 'huggingface/'],
  ['OLLAMA_BASE_URL', 'ollama/'],
  ['LMSTUDIO_BASE_URL', 'lmstudio/'],
  ['VLLM_BASE_URL', 'vllm/'],
  ['AWS_BEARER_TOKEN_BEDROCK', 'bedrock/'],
  ['AWS_ACCESS_KEY_ID', 'bedrock/'],
]

const simulatedModel = 'sim/small'

/** Chooses a model of an enabled provider for the example in the banner. */
export async function chooseModel(info: FleetInfo, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  if (info.simulated_provider_url !== null) return simulatedModel
  // A missing example must not fail the start.
  const listed = await listModels(info).catch(() => [])
  for (const [variable, prefix] of providers) {
    const model = (env[variable] ?? '') === '' ? undefined : listed.find((id) => id.startsWith(prefix))
    if (model !== undefined) return model
  }
  return listed[0] ?? simulatedModel
}

async function listModels({ base_url, api_key }: FleetInfo): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${api_key}` }
  const response = await fetch(`${base_url}/v1/models`, { headers, signal: AbortSignal.timeout(5_000) })
  const body = (await response.json()) as { data?: { id: string }[] }
  return (body.data ?? []).map(({ id }) => id)
}
