import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'
import type { JudgePrompt } from '@ratchet/judge-kit/prompt/judge-choice'
import { buildComparePrompt, type ComparePromptRequest } from './build-compare-prompt.ts'

export function said(content: string): ExchangeMessage {
  return { role: 'assistant', content }
}

/** A comparison of two short answers to a short question. */
export const plainComparison: ComparePromptRequest = {
  id: '019aa5f0-8a07-8000-8000-000000000001',
  mode: 'direct_quality',
  rubricType: 'helpfulness',
  rubric: 'It is kind.',
  isCriterion: false,
  prompt: { messages: [{ role: 'user', content: 'Hello?' }], tools: null },
  first: said('Good day.'),
  second: said('Get lost.'),
  reference: null,
}

/** The prompt of the plain comparison with these changes. */
export function promptOf(changes: Partial<ComparePromptRequest> = {}): JudgePrompt {
  const prompt = buildComparePrompt({ ...plainComparison, ...changes })
  if (prompt === null) throw new Error('too large')
  return prompt
}

/** The prompt as the simulated judge reads it. */
export function textOf({ system, user }: JudgePrompt): string {
  return `${system}\n${user}`
}
