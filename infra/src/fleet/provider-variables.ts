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
  'AWS_BEARER_TOKEN_BEDROCK',
  'AWS_ACCESS_KEY_ID',
] as const

/** Other variables of Bedrock: the rest of an access key, and the region. */
export const awsVariables = ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_REGION', 'AWS_DEFAULT_REGION'] as const

/** The variables above, and the keys of providers that an operator's own catalog adds. */
export const providerSettings = /^[A-Z][A-Z0-9_]*_API_KEY$|^AWS_[A-Z_]+$/
