import { modelEncoding } from './model-encoding.ts'

describe('modelEncoding', () => {
  it.each<[string, string, string, boolean]>([
    ['openai', 'gpt-4o-mini', 'o200k_base', true],
    ['openai', 'gpt-4.1', 'o200k_base', true],
    ['openai', 'gpt-5.4-nano', 'o200k_base', true],
    ['openai', 'o3', 'o200k_base', true],
    ['openai', 'ft:gpt-4o-mini:acme::1', 'o200k_base', true],
    ['groq', 'openai/gpt-oss-20b', 'o200k_base', true],
    ['fireworks', 'accounts/fireworks/models/gpt-oss-120b', 'o200k_base', true],
    ['openrouter', 'openai/gpt-4o-mini', 'o200k_base', true],
    ['openai', 'gpt-4', 'cl100k_base', true],
    ['openai', 'gpt-4-turbo', 'cl100k_base', true],
    ['openai', 'gpt-3.5-turbo', 'cl100k_base', true],
    ['openai', 'text-embedding-3-small', 'cl100k_base', true],
    ['openai', 'gpt-6-sol', 'o200k_base', false],
    ['anthropic', 'claude-haiku-4-5', 'o200k_base', false],
    ['google', 'gemini-embedding-2', 'o200k_base', false],
    ['alibaba', 'text-embedding-v4', 'o200k_base', false],
    ['vllm', 'gpt-4', 'o200k_base', false],
  ])('%s %s is counted with %s, exactly: %s', (provider, upstreamModel, encoding, exact) => {
    expect(modelEncoding({ provider, upstreamModel })).toEqual({ encoding, exact })
  })
})
