/**
 * Variables that enable a real provider; when none is set, the simulated provider is used. These are the variables of
 * the model catalog, `GOOGLE_API_KEY`, which Google's own tools read as well, and the access key id, which Bedrock accepts
 * instead of an API key.
 */
export const providerVariables = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'GROQ_API_KEY',
  'TOGETHER_API_KEY',
  'FIREWORKS_API_KEY',
  'DEEPINFRA_API_KEY',
  'MISTRAL_API_KEY',
  'DEEPSEEK_API_KEY',
  'DASHSCOPE_API_KEY',
  'OPENROUTER_API_KEY',
  'COHERE_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'VERTEX_API_KEY',
  'XAI_API_KEY',
  'CEREBRAS_API_KEY',
  'PERPLEXITY_API_KEY',
  'NVIDIA_API_KEY',
  'SAMBANOVA_API_KEY',
  'MOONSHOT_API_KEY',
  'ZAI_API_KEY',
  'MINIMAX_API_KEY',
  'NEBIUS_API_KEY',
  'HUGGINGFACE_API_KEY',
  'OLLAMA_API_KEY',
  'LMSTUDIO_API_KEY',
  'VLLM_API_KEY',
  'AWS_BEARER_TOKEN_BEDROCK',
  'AWS_ACCESS_KEY_ID',
] as const

/** Other variables of Bedrock: the rest of an access key, and the region. */
export const awsVariables = ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_REGION', 'AWS_DEFAULT_REGION'] as const

/** Addresses that enable a provider without a key: servers on the operator's own machines. */
export const addressVariables = ['OLLAMA_BASE_URL', 'LMSTUDIO_BASE_URL', 'VLLM_BASE_URL'] as const

/**
 * The variables above, and the keys and addresses of providers, also of those that an operator's own catalog adds; not of those
 * that have only speech, which the voice service calls.
 */
export const providerSettings = /^(?!DEEPGRAM_|ELEVENLABS_)[A-Z][A-Z0-9_]*_(?:API_KEY|BASE_URL)$|^AWS_[A-Z_]+$/
