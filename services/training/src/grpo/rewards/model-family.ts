const vendors = [
  ['claude', /claude/],
  ['gemini', /gemini|gemma/],
  ['gpt', /gpt|(?:^|[/-])o[1-9]/],
  ['llama', /llama/],
  ['mistral', /mistral|mixtral|magistral|ministral|codestral/],
  ['qwen', /qwen|qwq/],
  ['deepseek', /deepseek/],
  ['grok', /grok/],
  ['command', /command/],
  ['nova', /nova/],
  ['kimi', /kimi|moonshot/],
  ['glm', /glm/],
  ['phi', /(?:^|[/-])phi/],
] as const

/** Models of one family were trained alike, and are fooled by the same answers. By the name; else by the provider. */
export function modelFamily(id: string): string {
  const name = id.toLowerCase()
  return vendors.find(([, pattern]) => pattern.test(name))?.[0] ?? name.slice(0, Math.max(0, name.indexOf('/')))
}
