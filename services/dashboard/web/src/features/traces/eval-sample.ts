import type { LogEntry } from '@ratchet/contracts/logs'

/** The conversation of a model call with its answer, as one line of a dataset, from which evals take prompts. */
export function evalSample({ messages, response, tools }: Pick<LogEntry, 'messages' | 'response' | 'tools'>): string {
  return JSON.stringify({
    messages: [...messages, response],
    ...(tools === null || tools.length === 0 ? {} : { tools }),
  })
}
