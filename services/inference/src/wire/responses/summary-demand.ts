import { asList } from '@ratchet/service-kit/values/json'
import type { Body } from '../dialect.ts'

const demand =
  'Write a summary of this conversation, with which another assistant can continue it without having read it: what the user wants, what was done and found, which decisions and names matter, and what is left to do. Begin with "Summary of the conversation so far:". Write nothing else, and call no tool.'

/** The body of a request whose answer is a summary of the conversation that it has as input. */
export function withSummaryDemand({ input, ...rest }: Body): Body {
  const items = typeof input === 'string' ? [messageOf(input)] : asList(input)
  return { ...rest, input: [...items, messageOf(demand)] }
}

function messageOf(text: string): object {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
}
