/* What Codex sends with every request, and the events of an answer. */

export const shell = {
  type: 'function',
  name: 'shell_command',
  description: 'Runs it.',
  parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  strict: false,
}
const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' }
export const patch = { type: 'custom', name: 'apply_patch', description: 'Edits files.', format: grammar }

export const userMessage = (text: string) => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
})

export const codexBody = {
  instructions: 'You are a coding agent.',
  input: [userMessage('Fix the bug.')],
  tools: [shell, patch],
  tool_choice: 'auto',
  parallel_tool_calls: false,
  reasoning: { effort: 'medium', summary: 'auto' },
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: 'a-session',
  text: { verbosity: 'low' },
  client_metadata: { originator: 'codex' },
}

export const eventsOf = (text: string) =>
  text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))
